// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/mpi/mpi_messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

// Every MPI supports tags up to 32767. Concurrent runs use this many ranges of tags in turn.
constexpr uint64_t kRunsAtOnce = 32768 / (kMaxDevicesPerProcess * kMaxDevicesPerProcess);
constexpr size_t kMaxMpiMessage = size_t{1} << 30;  // MPI counts bytes in an int

}  // namespace

MpiMessages::MpiMessages(MpiWorld& world, uint64_t run, int64_t size) : world_(world), run_(run), size_(size) {
  if (!world_.heartbeat->failure().ok()) return;
  const std::scoped_lock lock(world_.mutex);
  std::erase_if(world_.given_up, [&](auto& message) {
    int done = 0;
    MpiStatus status;
    return world_.mpi->test(&message.first, &done, &status) != 0 || done != 0;
  });
}

int MpiMessages::tag(int64_t from, int64_t to) const {
  const auto device = [&](int64_t participant) { return static_cast<uint64_t>(participant % world_.devices); };
  return static_cast<int>((run_ % kRunsAtOnce * kMaxDevicesPerProcess + device(from)) * kMaxDevicesPerProcess +
                          device(to));
}

StatusOr<MessageId> MpiMessages::send(int64_t from, int64_t to, DeviceBytes bytes) {
  if (bytes.size() > kMaxMpiMessage) return internal_error("MPI_Isend: a message is longer than 1 GiB");
  const std::scoped_lock lock(world_.mutex);
  MessageId message;
  HILO_RETURN_IF_ERROR(
      mpi_status(*world_.mpi, "MPI_Isend",
                 world_.mpi->isend(bytes.data(), static_cast<int>(bytes.size()), world_.mpi->byte, process_of(to),
                                   tag(from, to), world_.communicator, &message.handle)));
  return message;
}

StatusOr<MessageId> MpiMessages::receive(int64_t from, int64_t to, MutableDeviceBytes room) {
  if (room.size() > kMaxMpiMessage) return internal_error("MPI_Irecv: a message is longer than 1 GiB");
  const std::scoped_lock lock(world_.mutex);
  MessageId message{.handle = 0, .comes_here = true};
  HILO_RETURN_IF_ERROR(
      mpi_status(*world_.mpi, "MPI_Irecv",
                 world_.mpi->irecv(room.data(), static_cast<int>(room.size()), world_.mpi->byte, process_of(from),
                                   tag(from, to), world_.communicator, &message.handle)));
  return message;
}

StatusOr<bool> MpiMessages::is_done(MessageId message) {
  const std::scoped_lock lock(world_.mutex);
  int done = 0;
  MpiStatus status;
  HILO_RETURN_IF_ERROR(mpi_status(*world_.mpi, "MPI_Test", world_.mpi->test(&message.handle, &done, &status)));
  return done != 0;
}

void MpiMessages::give_up(MessageId message, std::shared_ptr<void> memory) {
  const std::scoped_lock lock(world_.mutex);
  if (message.comes_here && world_.heartbeat->failure().ok())
    (void)world_.mpi->cancel(&message.handle);  // a message that has already arrived is complete
  world_.given_up.emplace_back(message.handle, std::move(memory));
}

void MpiMessages::note(std::string_view what) { world_.heartbeat->note(what); }

std::string MpiMessages::describe(int64_t participant) const {
  const int process = process_of(participant);
  return fmt::format("replica {} (process {}, last at {})", participant, process, world_.heartbeat->last_of(process));
}

Status MpiMessages::failure() const { return world_.heartbeat->is_lost() ? world_.heartbeat->failure() : ok_status(); }

bool MpiMessages::has_ended(int64_t participant) const { return world_.heartbeat->has_ended(process_of(participant)); }

}  // namespace hilo
