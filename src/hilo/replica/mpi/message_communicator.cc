// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/mpi/message_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/sizes.h"

namespace hilo {
namespace {

enum class Operation : uint32_t { kAllReduce, kReduceScatter, kAllGather, kAllToAll, kPermute, kBroadcast, kAbort };
constexpr std::array<std::string_view, 7> kOperationNames = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
                                                             "permute",    "broadcast",      "abort"};

/// The header of a collective, which is the first message to every other member. A small operand is appended.
struct Header {
  uint64_t run;
  uint64_t program;
  int64_t id;
  uint64_t in_bytes;
  uint64_t out_bytes;
  Operation operation;
  StatusCode code;  ///< code of a kAbort message, whose text is the reason
  std::array<char, 192> text;
};
static_assert(std::is_trivially_copyable_v<Header>);

// A header with a small operand fits one message that MPI sends eagerly, without waiting for the receiver (4 KiB
// between processes of one machine in Open MPI 4.1).
constexpr size_t kMessageBytes = 3840;
constexpr size_t kSmallOperand = kMessageBytes - sizeof(Header);
constexpr size_t kPiece = 1 << 18;  // bytes of a large operand in flight at a time, so that they stay in the cache
// up to this many bytes a member sends its operand to all others instead of a second exchange
constexpr size_t kSentWhole = 1 << 16;
constexpr size_t kMaxMessage = size_t{1} << 30;
constexpr size_t kFoldBlock = 1 << 15;  // bytes folded at a time
constexpr int kEagerPolls = 2000;       // polls before a waiting thread yields the CPU
constexpr std::chrono::microseconds kMaxSleep{200};
constexpr std::chrono::milliseconds kLastLetters{
    200};  // a process's last messages can arrive after the news of its end

/// Buffer of a message; only the part that was written is sent.
struct MessageBuffer {
  std::array<std::byte, kMessageBytes> bytes;
  size_t size = kMessageBytes;
};

std::shared_ptr<MessageBuffer> message_of(const Header& header, DeviceBytes operand) {
  auto buffer = std::make_shared_for_overwrite<MessageBuffer>();
  std::memcpy(buffer->bytes.data(), &header, sizeof header);
  if (!operand.empty()) std::memcpy(buffer->bytes.data() + sizeof header, operand.data(), operand.size());
  buffer->size = sizeof header + operand.size();
  return buffer;
}

Header header_of(const MessageBuffer& buffer) {
  Header header;
  std::memcpy(&header, buffer.bytes.data(), sizeof header);
  return header;
}
std::string_view text_of(const Header& header) {
  return {header.text.data(), ::strnlen(header.text.data(), header.text.size())};
}
DeviceBytes operand_of(const MessageBuffer& buffer, size_t bytes) {
  return DeviceBytes(buffer.bytes).subspan(sizeof(Header), bytes);
}

void copy(MutableDeviceBytes to, DeviceBytes from) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

/// Returns the error that the other participants get when a replica fails.
Status failure_of(int64_t replica, StatusCode code, std::string_view reason) {
  const bool says_enough =
      code == StatusCode::kCancelled || code == StatusCode::kDeadlineExceeded || code == StatusCode::kUnavailable;
  return Status(says_enough ? code : StatusCode::kAborted, fmt::format("replica {} failed: {}", replica, reason));
}

/// A buffer for received data.
class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(size_t bytes) : bytes_(std::make_unique_for_overwrite<std::byte[]>(bytes)) {}
  MutableDeviceBytes part(size_t begin, size_t size) const { return {bytes_.get() + begin, size}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

/// Increasing sleeps of a polling thread, which leave the CPU to other processes.
class Backoff {
 public:
  bool is_long() const { return looks_ >= 2 * kEagerPolls; }
  void wait() {
    if (++looks_ < kEagerPolls) return;
    if (looks_ < 2 * kEagerPolls) return std::this_thread::yield();
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(2 * nap_, kMaxSleep);
  }

 private:
  int looks_ = 0;
  std::chrono::microseconds nap_{10};
};

}  // namespace

class MessageCommunicators::Participant final : public Communicator {
 public:
  Participant(MessageCommunicators& all, int64_t rank) : all_(all), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return all_.messages_->size(); }

  Status all_reduce(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                    const Reduction& reduction) override {
    const bool small = in.size() <= kSmallOperand;
    HILO_ASSIGN_OR_RETURN(const Exchange exchange, start(meeting, Operation::kAllReduce, in, out, small));
    if (small) {
      return fold(out, exchange.group.size(), reduction,
                  [&](size_t k) { return k == exchange.place ? in : operand_of(*exchange.buffers[k], in.size()); });
    }
    if (in.size() * (exchange.group.size() - 1) <= kSentWhole) return fold_whole(exchange, in, out, reduction);
    const size_t element = element_size_bytes(reduction.type);
    const size_t n = exchange.group.size(), count = in.size() / element;
    std::vector<size_t> bounds;
    for (size_t k = 0; k <= n; ++k) bounds.push_back(count * k / n * element);
    const MutableDeviceBytes mine =
        out.subspan(bounds[exchange.place], bounds[exchange.place + 1] - bounds[exchange.place]);
    return fold_slices(exchange, in, bounds, mine, reduction, out);
  }

  Status reduce_scatter(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                        const Reduction& reduction) override {
    HILO_RETURN_IF_ERROR(check_blocks(meeting, Operation::kReduceScatter, in.size(), out.size()));
    HILO_ASSIGN_OR_RETURN(const Exchange exchange,
                          start(meeting, Operation::kReduceScatter, in, out, /*with_operand=*/false));
    std::vector<size_t> bounds;
    for (size_t k = 0; k <= exchange.group.size(); ++k) bounds.push_back(k * out.size());
    return fold_slices(exchange, in, bounds, out, reduction, {});
  }

  Status all_gather(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) override {
    HILO_RETURN_IF_ERROR(check_blocks(meeting, Operation::kAllGather, out.size(), in.size()));
    const bool small = in.size() <= kSmallOperand;
    HILO_ASSIGN_OR_RETURN(const Exchange exchange, start(meeting, Operation::kAllGather, in, out, small));
    const auto block = [&](size_t k) { return out.subspan(k * in.size(), in.size()); };
    Pending pending = pending_for(exchange);
    for (size_t k = 0; k < exchange.group.size(); ++k) {
      if (k == exchange.place) copy(block(k), in);
      else if (small) copy(block(k), operand_of(*exchange.buffers[k], in.size()));
      else HILO_RETURN_IF_ERROR(send_and_receive(pending, meeting.group[k], in, block(k)));
    }
    return finish(pending);
  }

  Status all_to_all(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) override {
    const size_t bytes = in.size() / std::max<size_t>(meeting.group.size(), 1);
    HILO_RETURN_IF_ERROR(check_blocks(meeting, Operation::kAllToAll, in.size(), bytes));
    HILO_RETURN_IF_ERROR(check_blocks(meeting, Operation::kAllToAll, out.size(), bytes));
    HILO_ASSIGN_OR_RETURN(const Exchange exchange,
                          start(meeting, Operation::kAllToAll, in, out, /*with_operand=*/false));
    Pending pending = pending_for(exchange);
    for (size_t k = 0; k < exchange.group.size(); ++k) {
      const DeviceBytes theirs = in.subspan(k * bytes, bytes);
      const MutableDeviceBytes received = out.subspan(k * bytes, bytes);
      if (k == exchange.place) copy(received, theirs);
      else HILO_RETURN_IF_ERROR(send_and_receive(pending, meeting.group[k], theirs, received));
    }
    return finish(pending);
  }

  Status permute(const Meeting& meeting, int64_t source, int64_t target, DeviceBytes in,
                 MutableDeviceBytes out) override {
    for (const int64_t other : {source, target}) {
      if (other >= 0 && std::ranges::find(meeting.group, other) == meeting.group.end())
        return refuse(fmt::format("{}: replica {} isn't in the group", meeting.what, other));
    }
    HILO_ASSIGN_OR_RETURN(Exchange exchange, exchange_of(meeting, Operation::kPermute, in, out));
    const auto is_partner = [&](size_t k) { return meeting.group[k] == source || meeting.group[k] == target; };
    HILO_RETURN_IF_ERROR(exchange_headers(exchange, meeting, is_partner, is_partner, {}));
    Pending pending = pending_for(exchange);
    if (source == rank_) copy(out, in);
    else if (source < 0 && !out.empty()) std::memset(out.data(), 0, out.size());
    if (target >= 0 && target != rank_) HILO_RETURN_IF_ERROR(send(pending, target, in));
    if (source >= 0 && source != rank_) HILO_RETURN_IF_ERROR(receive(pending, source, out));
    return finish(pending);
  }

  Status broadcast(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) override {
    HILO_ASSIGN_OR_RETURN(Exchange exchange, exchange_of(meeting, Operation::kBroadcast, in, out));
    const bool first = exchange.place == 0;
    HILO_RETURN_IF_ERROR(
        exchange_headers(exchange, meeting, [&](size_t) { return first; }, [&](size_t k) { return k == 0; }, {}));
    Pending pending = pending_for(exchange);
    if (first) copy(out, in);
    else HILO_RETURN_IF_ERROR(receive(pending, meeting.group[0], out));
    for (size_t k = 1; first && k < meeting.group.size(); ++k)
      HILO_RETURN_IF_ERROR(send(pending, meeting.group[k], in));
    return finish(pending);
  }

  void abort(const Status& reason) override {
    (void)all_.fail(rank_, reason);  // abort() has no caller for the error
    notify_all(all_.failure());
  }

 private:
  /// The participant's arguments of a collective, and the first messages of the other members by position in the group.
  struct Exchange {
    std::span<const int64_t> group;
    size_t place = 0;
    Header header = {};
    std::vector<std::shared_ptr<MessageBuffer>> buffers;
  };
  using Pending = std::vector<MessageId>;

  Messages& messages() const { return *all_.messages_; }
  Status refuse(const std::string& text) { return all_.fail(rank_, invalid_argument(text)); }

  Status check_blocks(const Meeting& meeting, Operation operation, size_t bytes, size_t block) {
    if (bytes == block * meeting.group.size()) return ok_status();
    return refuse(fmt::format("{}: got {} of {} bytes by {} members; wanted one block of {} bytes per member",
                              meeting.what, kOperationNames[ordinal(operation)], bytes, meeting.group.size(), block));
  }

  StatusOr<Exchange> exchange_of(const Meeting& meeting, Operation operation, DeviceBytes in, MutableDeviceBytes out) {
    Exchange exchange;
    exchange.group = meeting.group;
    const auto me = std::ranges::find(meeting.group, rank_);
    if (me == meeting.group.end()) return refuse(fmt::format("{}: the replica isn't in the group", meeting.what));
    for (const int64_t member : meeting.group) {
      if (member < 0 || member >= size())
        return refuse(fmt::format("{}: replica {} doesn't exist", meeting.what, member));
    }
    exchange.place = me - meeting.group.begin();
    exchange.header = {.run = all_.run_.number,
                       .program = all_.run_.program,
                       .id = meeting.id,
                       .in_bytes = in.size(),
                       .out_bytes = out.size(),
                       .operation = operation,
                       .code = StatusCode::kOk,
                       .text = {}};
    meeting.what.copy(exchange.header.text.data(), exchange.header.text.size());
    exchange.buffers.resize(meeting.group.size());
    return exchange;
  }

  /// Starts a collective: exchanges headers with all members and checks them.
  StatusOr<Exchange> start(const Meeting& meeting, Operation operation, DeviceBytes in, MutableDeviceBytes out,
                           bool with_operand) {
    HILO_ASSIGN_OR_RETURN(Exchange exchange, exchange_of(meeting, operation, in, out));
    const auto all = [](size_t) { return true; };
    HILO_RETURN_IF_ERROR(exchange_headers(exchange, meeting, all, all, with_operand ? in : DeviceBytes()));
    return exchange;
  }

  /// Sends the header and the operand to the members that `sends` selects, and waits for the messages of those that
  /// `receives` selects.
  template <typename Sends, typename Receives>
  Status exchange_headers(Exchange& exchange, const Meeting& meeting, const Sends& sends, const Receives& receives,
                          DeviceBytes operand) {
    if (all_.has_failed()) return all_.failure();
    if (meeting.group.size() > 1) messages().note(meeting.what);
    const std::shared_ptr<MessageBuffer> mine = message_of(exchange.header, operand);
    std::vector<Held> held;
    held.reserve(2 * meeting.group.size());  // no allocation may fail once a transfer has begun
    for (size_t k = 0; k < meeting.group.size(); ++k) {
      if (k == exchange.place || !receives(k)) continue;
      exchange.buffers[k] = std::make_shared_for_overwrite<MessageBuffer>();
      HILO_ASSIGN_OR_RETURN(const MessageId id,
                            messages().receive(meeting.group[k], rank_, exchange.buffers[k]->bytes));
      held.push_back({id, exchange.buffers[k], meeting.group[k]});
    }
    for (size_t k = 0; k < meeting.group.size(); ++k) {
      if (k == exchange.place || !sends(k)) continue;
      HILO_ASSIGN_OR_RETURN(const MessageId id,
                            messages().send(rank_, meeting.group[k], DeviceBytes(mine->bytes).first(mine->size)));
      held.push_back({id, mine, kNoSender});
    }
    const Status status = wait_for_messages(held, exchange.header, meeting);
    for (const Held& rest : held) messages().give_up(rest.id, rest.buffer);
    return status;
  }

  static constexpr int64_t kNoSender = -1;
  /// A message in flight, and its sender if it is received.
  struct Held {
    MessageId id;
    std::shared_ptr<MessageBuffer> buffer;
    int64_t from;
  };

  /// Removes messages from `held` as they arrive, until it is empty or an error occurs.
  Status wait_for_messages(std::vector<Held>& held, const Header& mine, const Meeting& meeting) {
    Backoff backoff;
    std::optional<std::chrono::steady_clock::time_point> first_ended;
    while (!held.empty()) {
      for (size_t i = 0; i < held.size();) {
        HILO_ASSIGN_OR_RETURN(const bool done, messages().is_done(held[i].id));
        if (!done) {
          ++i;
          continue;
        }
        const Held arrived = held[i];
        held.erase(held.begin() + i);
        if (arrived.from == kNoSender) continue;
        if (header_of(*arrived.buffer).run < mine.run) {  // a message of a failed run that was never read
          HILO_ASSIGN_OR_RETURN(const MessageId again, messages().receive(arrived.from, rank_, arrived.buffer->bytes));
          held.push_back({again, arrived.buffer, arrived.from});
          continue;
        }
        HILO_RETURN_IF_ERROR(check_message(mine, header_of(*arrived.buffer), arrived.from));
      }
      if (held.empty()) return ok_status();
      if (all_.has_failed()) return all_.failure();
      if (const Status lost = messages().failure(); !lost.ok()) return all_.fail(rank_, lost);
      if (all_.cancellation_ != nullptr && all_.cancellation_->cancelled())
        return all_.fail(rank_, why_stopped(held, meeting));
      if (backoff.is_long()) HILO_RETURN_IF_ERROR(check_ended(held, meeting, first_ended));
      backoff.wait();
    }
    return ok_status();
  }

  /// Fails if a member that hasn't sent its message has ended, after a delay in which its last messages can arrive.
  Status check_ended(std::span<const Held> held, const Meeting& meeting,
                     std::optional<std::chrono::steady_clock::time_point>& first_ended) {
    const auto has_ended = [&](const Held& buffer) {
      return buffer.from != kNoSender && messages().has_ended(buffer.from);
    };
    const auto gone = std::ranges::find_if(held, has_ended);
    const auto now = std::chrono::steady_clock::now();
    if (gone == held.end()) return ok_status();
    if (!first_ended) first_ended = now;
    if (now - *first_ended < kLastLetters) return ok_status();
    return all_.fail(rank_, failed_precondition(fmt::format("{}: {} has ended without this collective", meeting.what,
                                                            messages().describe(gone->from))));
  }

  Status check_message(const Header& mine, const Header& theirs, int64_t from) {
    if (theirs.operation == Operation::kAbort) {
      return all_.fail_as(Status(theirs.code, std::string(text_of(theirs))));
    }
    if (mine.run != theirs.run || mine.program != theirs.program) {
      return refuse(
          fmt::format("called {} in run {} of program {:016x}, but replica {} called {} in run {} of program "
                      "{:016x}. Hint: all processes must run the same programs in the same order",
                      text_of(mine), mine.run, mine.program, from, text_of(theirs), theirs.run, theirs.program));
    }
    if (mine.operation == theirs.operation && mine.id == theirs.id && mine.in_bytes == theirs.in_bytes &&
        mine.out_bytes == theirs.out_bytes)
      return ok_status();
    const auto describe = [](const Header& header) {
      return fmt::format("{} ({}, {} bytes)", text_of(header), kOperationNames[ordinal(header.operation)],
                         header.in_bytes);
    };
    return refuse(fmt::format("called {}, but replica {} called {}", describe(mine), from, describe(theirs)));
  }

  Status why_stopped(std::span<const Held> held, const Meeting& meeting) const {
    if (all_.cancellation_->word()->load(std::memory_order_relaxed) != kDeadlinePassed)
      return cancelled("the program was cancelled while the replica waited for others");
    std::vector<std::string> missing;
    for (const Held& buffer : held) {
      if (buffer.from != kNoSender) missing.push_back(messages().describe(buffer.from));
    }
    return Status(StatusCode::kDeadlineExceeded, fmt::format("{}: timeout of the program while {} had not arrived",
                                                             meeting.what, fmt::join(missing, " and ")));
  }

  // --- After the headers: the transfers have the sizes of the headers, and all of them are completed.

  /// Reserves memory up front, because a transfer that has begun must be waited for.
  static Pending pending_for(const Exchange& exchange) {
    Pending pending;
    pending.reserve(2 * exchange.group.size());
    return pending;
  }
  Status send(Pending& pending, int64_t to, DeviceBytes bytes) {
    for (size_t at = 0; at < bytes.size(); at += kMaxMessage) {
      const DeviceBytes part = bytes.subspan(at, std::min(kMaxMessage, bytes.size() - at));
      HILO_ASSIGN_OR_RETURN(pending.emplace_back(), messages().send(rank_, to, part));
    }
    return ok_status();
  }
  Status receive(Pending& pending, int64_t from, MutableDeviceBytes received) {
    for (size_t at = 0; at < received.size(); at += kMaxMessage) {
      const MutableDeviceBytes part = received.subspan(at, std::min(kMaxMessage, received.size() - at));
      HILO_ASSIGN_OR_RETURN(pending.emplace_back(), messages().receive(from, rank_, part));
    }
    return ok_status();
  }
  Status send_and_receive(Pending& pending, int64_t with, DeviceBytes bytes, MutableDeviceBytes received) {
    HILO_RETURN_IF_ERROR(receive(pending, with, received));
    return send(pending, with, bytes);
  }

  Status finish(Pending& pending) {
    Backoff backoff;
    while (!pending.empty()) {
      for (size_t i = 0; i < pending.size();) {
        HILO_ASSIGN_OR_RETURN(const bool done, messages().is_done(pending[i]));
        if (!done) {
          ++i;
          continue;
        }
        pending[i] = pending.back();
        pending.pop_back();
      }
      if (pending.empty()) break;
      if (const Status lost = messages().failure(); !lost.ok()) return all_.fail(rank_, lost);
      backoff.wait();
    }
    return ok_status();
  }

  /// Sets `out` to the fold of the operands, by position in the group.
  template <typename OperandAt>
  static Status fold(MutableDeviceBytes out, size_t operands, const Reduction& reduction,
                     const OperandAt& operand_at) try {
    for (size_t at = 0; at < out.size(); at += kFoldBlock) {
      const size_t bytes = std::min(kFoldBlock, out.size() - at);
      copy(out.subspan(at, bytes), operand_at(0).subspan(at, bytes));
      for (size_t k = 1; k < operands; ++k) {
        HILO_RETURN_IF_ERROR(reduction.fold(out.data() + at, operand_at(k).data() + at, bytes));
      }
    }
    return ok_status();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

  /// Sets `out` to the fold of all members' operands, which each member sends to all others.
  Status fold_whole(const Exchange& exchange, DeviceBytes in, MutableDeviceBytes out, const Reduction& reduction) {
    ReceiveBuffer received(exchange.group.size() * in.size());
    const auto operand = [&](size_t k) {
      return k == exchange.place ? in : DeviceBytes(received.part(k * in.size(), in.size()));
    };
    Pending pending = pending_for(exchange);
    for (size_t k = 0; k < exchange.group.size(); ++k) {
      if (k == exchange.place) continue;
      HILO_RETURN_IF_ERROR(send_and_receive(pending, exchange.group[k], in, received.part(k * in.size(), in.size())));
    }
    HILO_RETURN_IF_ERROR(finish(pending));
    return fold(out, exchange.group.size(), reduction, operand);
  }

  /// Sets `mine` to the fold of all members' slices bounds[place] to bounds[place + 1] of `in`. If `mine` is part of a
  /// buffer for all slices, the folds of the other members are received there, too. Pieces are folded while the next
  /// ones are transferred. An error of the fold is returned at the end, because the other members wait for the
  /// transfers.
  Status fold_slices(const Exchange& exchange, DeviceBytes in, std::span<const size_t> bounds, MutableDeviceBytes mine,
                     const Reduction& reduction, MutableDeviceBytes everything) {
    const size_t n = exchange.group.size(), place = exchange.place;
    const auto piece = [&](size_t k, size_t t) {  // offset and size of piece t of slice k
      const size_t begin = std::min(bounds[k] + t * kPiece, bounds[k + 1]);
      return std::pair(begin, std::min(kPiece, bounds[k + 1] - begin));
    };
    size_t longest = 0;
    for (size_t k = 0; k < n; ++k) longest = std::max(longest, bounds[k + 1] - bounds[k]);
    const size_t stages = (longest + kPiece - 1) / kPiece;
    const size_t most = std::min(kPiece, mine.size());
    std::array<ReceiveBuffer, 2> buffers = {ReceiveBuffer(n * most), ReceiveBuffer(n * most)};
    const auto arrives = [&](size_t k, size_t t) { return buffers[t % 2].part(k * most, piece(place, t).second); };
    const auto operand = [&](size_t k, size_t t) {
      const auto [begin, bytes] = piece(place, t);
      return k == place ? in.subspan(begin, bytes) : DeviceBytes(arrives(k, t));
    };
    std::array<Pending, 2> operands = {pending_for(exchange), pending_for(exchange)};
    const auto begin_stage = [&](size_t t) -> Status {
      for (size_t k = 0; k < n; ++k) {
        if (k == place) continue;
        HILO_RETURN_IF_ERROR(receive(operands[t % 2], exchange.group[k], arrives(k, t)));
        const auto [begin, bytes] = piece(k, t);
        HILO_RETURN_IF_ERROR(send(operands[t % 2], exchange.group[k], in.subspan(begin, bytes)));
      }
      return ok_status();
    };
    Pending results = pending_for(exchange);
    Status folded;
    if (stages > 0) HILO_RETURN_IF_ERROR(begin_stage(0));
    for (size_t t = 0; t < stages; ++t) {
      if (t + 1 < stages) HILO_RETURN_IF_ERROR(begin_stage(t + 1));
      HILO_RETURN_IF_ERROR(finish(operands[t % 2]));
      const auto [begin, bytes] = piece(place, t);
      const MutableDeviceBytes out = mine.subspan(begin - bounds[place], bytes);
      const Status status = fold(out, n, reduction, [&](size_t k) { return operand(k, t); });
      if (folded.ok()) folded = status;
      if (everything.empty()) continue;
      HILO_RETURN_IF_ERROR(finish(results));
      for (size_t k = 0; k < n; ++k) {
        if (k == place) continue;
        const auto [theirs, size] = piece(k, t);
        HILO_RETURN_IF_ERROR(send_and_receive(results, exchange.group[k], out, everything.subspan(theirs, size)));
      }
    }
    HILO_RETURN_IF_ERROR(finish(results));
    return folded;
  }

  /// Sends the reason of the failure to the participants of other processes. They read it when they next wait for this
  /// one.
  void notify_all(const Status& reason) {
    if (!messages().failure().ok()) return;  // they have the same information
    Header header = {.run = all_.run_.number,
                     .program = all_.run_.program,
                     .id = 0,
                     .in_bytes = 0,
                     .out_bytes = 0,
                     .operation = Operation::kAbort,
                     .code = reason.code(),
                     .text = {}};
    reason.message().copy(header.text.data(), header.text.size());
    const std::shared_ptr<MessageBuffer> buffer = message_of(header, {});
    for (int64_t other = 0; other < size(); ++other) {
      if (all_.is_local(other)) continue;
      if (const StatusOr<MessageId> id = messages().send(rank_, other, DeviceBytes(buffer->bytes).first(buffer->size));
          id.ok())
        messages().give_up(*id, buffer);
    }
  }

  MessageCommunicators& all_;
  const int64_t rank_;
};

MessageCommunicators::MessageCommunicators(std::unique_ptr<Messages> messages, const SharedRun& run, int64_t first,
                                           int64_t local, const CancellationToken* cancellation)
    : messages_(std::move(messages)), run_(run), first_(first), cancellation_(cancellation) {
  for (int64_t k = 0; k < local; ++k) participants_.push_back(std::make_unique<Participant>(*this, first + k));
}

MessageCommunicators::~MessageCommunicators() { messages_->end(/*failed=*/!failure_.ok()); }

Communicator& MessageCommunicators::of(int64_t participant) { return *participants_[participant]; }

void MessageCommunicators::end(int64_t) {}

bool MessageCommunicators::is_local(int64_t rank) const {
  return rank >= first_ && rank < first_ + std::ssize(participants_);
}

Status MessageCommunicators::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

Status MessageCommunicators::fail(int64_t rank, const Status& reason) {
  (void)fail_as(failure_of(rank, reason.code(), reason.to_string()));
  return reason;
}

Status MessageCommunicators::fail_as(const Status& failure) {
  const std::scoped_lock lock(mutex_);
  if (failure_.ok()) failure_ = failure;
  has_failed_.store(true, std::memory_order_release);
  return failure_;
}

}  // namespace hilo
