// SPDX-License-Identifier: Apache-2.0
// The functions of libhilo_mpi.so that libhilo.so looks up: collectives between processes by MPI.
#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hilo/base/build_id.h"
#include "hilo/base/process_end.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"
#include "hilo/replica/mpi/message_communicator.h"
#include "hilo/replica/mpi/mpi_messages.h"
#include "hilo/replica/processes.h"
#include "hilo/replica/thread_communicator.h"
#include "hilo/version.h"

namespace hilo {
namespace {

constexpr int kThreadSerialized = 2;  // MPI_THREAD_SERIALIZED: calls from any thread, one at a time
constexpr uint32_t kLoopback = 0x7f000001;
// Open MPI kills a process one second after it has requested its end
constexpr std::chrono::milliseconds kLastWords{700};

/// Created once and never destroyed, because threads run until the process ends.
struct Processes {
  std::mutex mutex;
  MpiWorld* world = nullptr;
  std::atomic<uint64_t> runs = 0;
};
Processes& processes() {
  static auto* const instance = new Processes;
  return *instance;
}

/// A process's description: the properties that all processes must share, and its address.
struct Facts {
  uint64_t host = 0;
  uint64_t build = 0;
  int64_t devices = 0;
  HeartbeatAddress heartbeat;
};
static_assert(std::is_trivially_copyable_v<Facts>);

uint64_t host_hash() {
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) != 0) return 0;
  return TextHash()(name.c_str());
}

/// Returns the facts of all processes, by an MPI collective that waits for all of them.
StatusOr<std::vector<Facts>> exchange(const MpiWorld& world, const Facts& mine) {
  std::vector<Facts> all(world.count);
  const MpiLibrary& mpi = *world.mpi;
  HILO_RETURN_IF_ERROR(
      mpi_status(mpi, "MPI_Allgather",
                 mpi.allgather(&mine, sizeof mine, mpi.byte, all.data(), sizeof mine, mpi.byte, world.communicator)));
  return all;
}

/// MPI starts within 20 ms instead of 300 ms if it doesn't probe networks between machines. Variables that the user has
/// set are not changed.
void prepare_open_mpi() {
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here == nullptr || all == nullptr || std::strcmp(here, all) != 0) return;
  ::setenv("OMPI_MCA_pml", "ob1", /*overwrite=*/0);
  ::setenv("OMPI_MCA_btl", "self,vader", 0);
  // in containers it is forbidden and causes a warning
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
}

Status begin_mpi(const MpiLibrary& mpi, const Launch& launch) {
  int has_begun = 0, has_ended = 0, level = 0;
  HILO_RETURN_IF_ERROR(mpi_status(mpi, "MPI_Finalized", mpi.finalized(&has_ended)));
  if (has_ended != 0) return failed_precondition("the program has finalized MPI, which can't be initialized again");
  HILO_RETURN_IF_ERROR(mpi_status(mpi, "MPI_Initialized", mpi.initialized(&has_begun)));
  if (has_begun == 0) {
    if (mpi.is_open_mpi) prepare_open_mpi();
    HILO_RETURN_IF_ERROR(
        mpi_status(mpi, "MPI_Init_thread", mpi.init_thread(nullptr, nullptr, kThreadSerialized, &level)));
    if (level < kThreadSerialized)
      return failed_precondition(
          fmt::format("{} supports calls from a single thread only (level {})", mpi.file, level));
  }
  int index = 0, count = 0;
  HILO_RETURN_IF_ERROR(mpi_status(mpi, "MPI_Comm_rank", mpi.comm_rank(mpi.world, &index)));
  HILO_RETURN_IF_ERROR(mpi_status(mpi, "MPI_Comm_size", mpi.comm_size(mpi.world, &count)));
  if (index == launch.index && count == launch.count) return ok_status();
  return invalid_argument(
      fmt::format("{} started this process as {} of {}, but {} ({}) reports {} of {}: they belong to different MPIs. "
                  "Hint: set HILO_MPI_LIBRARY",
                  launch.launcher, launch.index, launch.count, mpi.file, mpi.version, index, count));
}

/// Returns the times of HILO_HEARTBEAT_SECONDS, which a user of a debugger may increase.
StatusOr<HeartbeatTimes> heartbeat_times() {
  HeartbeatTimes times;
  const char* const text = std::getenv("HILO_HEARTBEAT_SECONDS");
  if (text == nullptr) return times;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), seconds);
  if (error != std::errc() || *end != '\0' || seconds < 1 || seconds > 1'000'000)
    return invalid_argument(fmt::format("HILO_HEARTBEAT_SECONDS: got {}; wanted 1 to 1000000", quote(text)));
  times.silence = std::chrono::seconds(seconds);
  return times;
}

/// Process 0 listens at an address that all others can reach, and broadcasts it.
Status begin_heartbeat(MpiWorld& world, std::span<const Facts> all) {
  HILO_ASSIGN_OR_RETURN(const HeartbeatTimes times, heartbeat_times());
  const bool one_machine = std::ranges::all_of(all, [&](const Facts& facts) { return facts.host == all[0].host; });
  Facts mine;
  Status listens;
  if (world.index == 0) {
    const StatusOr<uint32_t> where = one_machine ? StatusOr<uint32_t>(kLoopback) : address_for_other_machines();
    StatusOr<std::unique_ptr<Heartbeat>> centre =
        where.ok() ? Heartbeat::listen(world.count, *where, times) : where.status();
    listens = centre.status();
    if (centre.ok()) {
      world.heartbeat = *std::move(centre);
      mine.heartbeat = world.heartbeat->address();
    }
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Facts> told, exchange(world, mine));
  if (world.index == 0) return listens;
  if (told[0].heartbeat.port == 0) return unavailable("heartbeat: process 0 can't listen; see its error");
  HILO_ASSIGN_OR_RETURN(world.heartbeat, Heartbeat::connect(world.index, world.count, told[0].heartbeat, times));
  return ok_status();
}

// --- A launcher ends all processes when one has died. They get a short time to report which one it was.

timer_t last_words;

void end_soon(int) {
  ::signal(SIGTERM, SIG_DFL);
  const itimerspec once = {.it_interval = {},
                           .it_value = {.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(kLastWords).count()}};
  ::timer_settime(last_words, 0, &once, nullptr);
}

/// A handler that the program has installed for SIGTERM is not replaced.
void give_last_words() {
  struct sigaction known = {};
  if (::sigaction(SIGTERM, nullptr, &known) != 0 || known.sa_handler != SIG_DFL) return;
  sigevent term = {};
  term.sigev_notify = SIGEV_SIGNAL;
  term.sigev_signo = SIGTERM;
  if (::timer_create(CLOCK_MONOTONIC, &term, &last_words) != 0) return;
  struct sigaction ours = {};
  ours.sa_handler = end_soon;
  ours.sa_flags = SA_RESTART;
  (void)::sigaction(SIGTERM, &ours, nullptr);
}

/// Finalizes MPI at the end of the process. After a lost process or a failed run it would wait for ever, so it is
/// skipped then.
void end_mpi() {
  MpiWorld& world = *processes().world;
  world.heartbeat->take_leave();
  int has_ended = 0;
  if (world.has_failed || world.heartbeat->is_lost() || world.mpi->finalized(&has_ended) != 0 || has_ended != 0) return;
  (void)world.mpi->finalize();  // no caller is left for an error
}

StatusOr<std::unique_ptr<MpiWorld>> begin_world(const Launch& launch, int64_t devices) {
  auto world = std::make_unique<MpiWorld>();
  HILO_ASSIGN_OR_RETURN(world->mpi, mpi_library(launch.is_mpich));
  const MpiLibrary& mpi = *world->mpi;
  HILO_RETURN_IF_ERROR(begin_mpi(mpi, launch));
  world->index = launch.index;
  world->count = launch.count;
  world->devices = devices;
  HILO_RETURN_IF_ERROR(mpi_status(mpi, "MPI_Comm_dup", mpi.comm_dup(mpi.world, &world->communicator)));
  HILO_RETURN_IF_ERROR(
      mpi_status(mpi, "MPI_Comm_set_errhandler", mpi.comm_set_errhandler(world->communicator, mpi.errors_return)));
  const Facts mine{.host = host_hash(), .build = TextHash()(build_id()), .devices = devices, .heartbeat = {}};
  HILO_ASSIGN_OR_RETURN(const std::vector<Facts> all, exchange(*world, mine));
  HILO_RETURN_IF_ERROR(begin_heartbeat(*world, all));
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].build != all[0].build)
      return invalid_argument(
          fmt::format("processes 0 and {} run different builds of hilo; this one is {}", i, build_id()));
    if (all[i].devices != all[0].devices) {
      return invalid_argument(
          fmt::format("process 0 has {} devices and process {} has {}; wanted equal numbers. Hint: "
                      "jax_replica_count",
                      all[0].devices, i, all[i].devices));
    }
  }
  return world;
}

std::unique_ptr<CommunicatorGroup> process_communicators(const RunMembers& members) {
  if (!members.meet || members.here == members.all) return thread_communicators(members);
  Processes& all = processes();
  const SharedRun run{.number = all.runs.fetch_add(1, std::memory_order_relaxed) + 1, .program = members.program};
  MpiWorld& world = *all.world;
  return std::make_unique<MessageCommunicators>(std::make_unique<MpiMessages>(world, run.number, members.all), run,
                                                world.index * world.devices, members.here, members.cancellation);
}

Status join_by_mpi(ClientOptions& options, const Launch& launch) {
  if (options.replica_count > kMaxDevicesPerProcess) {
    return invalid_argument(fmt::format("jax_replica_count: got {} devices in each of {} processes; wanted at most {}",
                                        options.replica_count, launch.count, kMaxDevicesPerProcess));
  }
  Processes& all = processes();
  const std::scoped_lock lock(all.mutex);
  if (all.world == nullptr) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<MpiWorld> world, begin_world(launch, options.replica_count));
    all.world = world.release();
    (void)at_process_end(end_mpi);  // without memory for it the launcher reports that MPI wasn't finalized
    give_last_words();
  }
  if (all.world->devices != options.replica_count) {
    return failed_precondition(
        fmt::format("jax_replica_count: got {}; the processes were connected with {} devices in each",
                    options.replica_count, all.world->devices));
  }
  options.process_index = all.world->index;
  options.process_count = all.world->count;
  options.communicators = process_communicators;
  return ok_status();
}

}  // namespace
}  // namespace hilo

/// The version of the headers that this library was built with.
extern "C" const hilo::ProcessesTable hilo_mpi = {{HILO_VERSION_STRING}, hilo::join_by_mpi};
