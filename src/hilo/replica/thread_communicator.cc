// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/thread_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "hilo/base/out_of_memory.h"

namespace hilo {
namespace {

constexpr size_t kThreadFoldBlock = 1 << 15;            // bytes folded at a time, so that they stay in the cache
constexpr std::chrono::milliseconds kPollInterval{10};  // polling interval of the cancellation word
constexpr size_t kWorthSlicing = 1 << 14;  // bytes; below, every member folds all inputs, which saves a round

std::string list_text(const std::vector<int64_t>& replicas) { return fmt::format("{}", fmt::join(replicas, ", ")); }

}  // namespace

/// The arguments of one member's call of a collective.
struct ThreadCommunicators::Call {
  std::string_view operation;  ///< the communicator's operation
  int64_t id;
  std::string_view what;
  DeviceBytes in;
  MutableDeviceBytes out;
};

/// The rendezvous of one collective. First all members arrive, then they read each other's memory in rounds, then they
/// leave. Once all have arrived, a member stays until the end even if another one fails, because its memory is being
/// read.
struct ThreadCommunicators::Rendezvous {
  std::vector<Call> calls;  ///< by position in the group
  std::vector<bool> present;
  size_t arrived = 0;
  bool open = true;     ///< whether members are missing
  size_t at_round = 0;  ///< members that wait for the end of the round
  uint64_t round = 0;   ///< number of completed rounds
  Status failure;       ///< error of the operation itself
  std::condition_variable changed;
};

/// The collectives of one group. A member starts collective k + 2 only after all have left collective k, so two
/// rendezvous suffice.
struct ThreadCommunicators::Group {
  std::vector<int64_t> members;
  Rendezvous rendezvous[2];
  std::vector<uint64_t> counts;  ///< number of collectives that each member has started
};

class ThreadCommunicators::Replica final : public Communicator {
 public:
  Replica(ThreadCommunicators& all, int64_t rank) : all_(all), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return all_.size(); }

  Status all_reduce(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                    const Reduction& reduction) override {
    size_t place = 0;
    HILO_ASSIGN_OR_RETURN(Rendezvous * rendezvous,
                          all_.enter(meeting, rank_, {"all_reduce", meeting.id, meeting.what, in, out}, place));
    const size_t n = rendezvous->calls.size();
    if (in.size() < kWorthSlicing) {
      note(*rendezvous, fold(*rendezvous, 0, out, reduction));
      return all_.leave(*rendezvous);
    }
    // Each member folds a slice; then all copy the slices of the others.
    const size_t element = static_cast<size_t>(element_size_bytes(reduction.type)), count = in.size() / element;
    const auto begin = [&](size_t k) { return count * k / n * element; };
    note(*rendezvous,
         fold(*rendezvous, begin(place), out.subspan(begin(place), begin(place + 1) - begin(place)), reduction));
    all_.pass(*rendezvous);
    for (size_t k = 0; k < n; ++k) {
      if (k != place)
        std::memcpy(out.data() + begin(k), rendezvous->calls[k].out.data() + begin(k), begin(k + 1) - begin(k));
    }
    return all_.leave(*rendezvous);
  }

  Status reduce_scatter(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                        const Reduction& reduction) override {
    HILO_RETURN_IF_ERROR(check_blocks("reduce_scatter", meeting, in.size(), out.size()));
    size_t place = 0;
    HILO_ASSIGN_OR_RETURN(Rendezvous * rendezvous,
                          all_.enter(meeting, rank_, {"reduce_scatter", meeting.id, meeting.what, in, out}, place));
    note(*rendezvous, fold(*rendezvous, place * out.size(), out, reduction));
    return all_.leave(*rendezvous);
  }

  Status all_gather(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) override {
    HILO_RETURN_IF_ERROR(check_blocks("all_gather", meeting, out.size(), in.size()));
    size_t place = 0;
    HILO_ASSIGN_OR_RETURN(Rendezvous * rendezvous,
                          all_.enter(meeting, rank_, {"all_gather", meeting.id, meeting.what, in, out}, place));
    for (size_t k = 0; k < rendezvous->calls.size(); ++k) copy(out.subspan(k * in.size()), rendezvous->calls[k].in);
    return all_.leave(*rendezvous);
  }

  Status all_to_all(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) override {
    const size_t block = in.size() / std::max<size_t>(meeting.group.size(), 1);
    HILO_RETURN_IF_ERROR(check_blocks("all_to_all", meeting, in.size(), block));
    HILO_RETURN_IF_ERROR(check_blocks("all_to_all", meeting, out.size(), block));
    size_t place = 0;
    HILO_ASSIGN_OR_RETURN(Rendezvous * rendezvous,
                          all_.enter(meeting, rank_, {"all_to_all", meeting.id, meeting.what, in, out}, place));
    for (size_t k = 0; k < rendezvous->calls.size(); ++k)
      copy(out.subspan(k * block), rendezvous->calls[k].in.subspan(place * block, block));
    return all_.leave(*rendezvous);
  }

  Status permute(const Meeting& meeting, int64_t source, int64_t, DeviceBytes in, MutableDeviceBytes out) override {
    const auto from = std::ranges::find(meeting.group, source);
    if (source >= 0 && from == meeting.group.end())
      return refuse(fmt::format("{}: source {} isn't in the group", meeting.what, source));
    size_t place = 0;
    HILO_ASSIGN_OR_RETURN(Rendezvous * rendezvous,
                          all_.enter(meeting, rank_, {"permute", meeting.id, meeting.what, in, out}, place));
    if (source >= 0) copy(out, rendezvous->calls[from - meeting.group.begin()].in);
    else if (!out.empty()) std::memset(out.data(), 0, out.size());
    return all_.leave(*rendezvous);
  }

  Status broadcast(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) override {
    size_t place = 0;
    HILO_ASSIGN_OR_RETURN(Rendezvous * rendezvous,
                          all_.enter(meeting, rank_, {"broadcast", meeting.id, meeting.what, in, out}, place));
    copy(out, rendezvous->calls[0].in);
    return all_.leave(*rendezvous);
  }

  void abort(const Status& reason) override {
    std::lock_guard lock(all_.mutex_);
    (void)all_.fail(rank_, reason);  // abort() has no caller for the error
  }

 private:
  static void copy(std::span<std::byte> to, std::span<const std::byte> from) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  }

  /// Sets `out` to the fold of all members' bytes from `begin` on. Must not throw, because other members wait for this
  /// one.
  static Status fold(const Rendezvous& rendezvous, size_t begin, MutableDeviceBytes out,
                     const Reduction& reduction) try {
    for (size_t at = 0; at < out.size(); at += kThreadFoldBlock) {
      const size_t bytes = std::min(kThreadFoldBlock, out.size() - at);
      std::memcpy(out.data() + at, rendezvous.calls[0].in.data() + begin + at, bytes);
      for (size_t k = 1; k < rendezvous.calls.size(); ++k) {
        HILO_RETURN_IF_ERROR(reduction.fold(out.data() + at, rendezvous.calls[k].in.data() + begin + at, bytes));
      }
    }
    return ok_status();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

  void note(Rendezvous& rendezvous, const Status& status) {
    if (status.ok()) return;
    std::lock_guard lock(all_.mutex_);
    if (rendezvous.failure.ok()) rendezvous.failure = status;
  }

  Status check_blocks(std::string_view operation, const Meeting& meeting, size_t bytes, size_t block) {
    if (bytes == block * meeting.group.size()) return ok_status();
    return refuse(fmt::format("{}: got {} of {} bytes by {} members; wanted one block of {} bytes per member",
                              meeting.what, operation, bytes, meeting.group.size(), block));
  }

  Status refuse(std::string text) {
    std::lock_guard lock(all_.mutex_);
    return all_.fail(rank_, invalid_argument(std::move(text)));
  }

  ThreadCommunicators& all_;
  int64_t rank_;
};

ThreadCommunicators::ThreadCommunicators(int64_t size, const CancellationToken* cancellation)
    : ended_(size), cancellation_(cancellation) {
  for (int64_t rank = 0; rank < size; ++rank) replicas_.push_back(std::make_unique<Replica>(*this, rank));
}

ThreadCommunicators::~ThreadCommunicators() = default;

Communicator& ThreadCommunicators::of(int64_t replica) { return *replicas_[replica]; }

Status ThreadCommunicators::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

int64_t ThreadCommunicators::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

int64_t ThreadCommunicators::wake_ups() const {
  std::lock_guard lock(mutex_);
  return wake_ups_;
}

/// Records the failure and returns the error of the failed replica. Precondition of this and all functions below: the
/// mutex is held.
Status ThreadCommunicators::fail(int64_t replica, const Status& reason) {
  if (!failure_.ok()) return failure_;
  failure_ = or_out_of_memory([&] {
    const std::string text = fmt::format("replica {} failed: {}", replica, reason.to_string());
    const bool stopped = reason.code() == StatusCode::kCancelled || reason.code() == StatusCode::kDeadlineExceeded;
    return Status(stopped ? reason.code() : StatusCode::kAborted, text);
  });
  for (auto& [members, group] : groups_) {
    for (Rendezvous& rendezvous : group->rendezvous) rendezvous.changed.notify_all();
  }
  return reason;
}

StatusOr<ThreadCommunicators::Group*> ThreadCommunicators::group_of(const Meeting& meeting, int64_t replica,
                                                                    size_t& place) {
  const auto me = std::ranges::find(meeting.group, replica);
  if (me == meeting.group.end())
    return fail(replica, invalid_argument(fmt::format("{}: the replica isn't in the group", meeting.what)));
  place = me - meeting.group.begin();
  std::vector<int64_t> members(meeting.group.begin(), meeting.group.end());
  if (const auto known = groups_.find(members); known != groups_.end()) return known->second.get();
  for (int64_t member : members) {
    if (member < 0 || member >= size())
      return fail(replica, invalid_argument(fmt::format("{}: replica {} doesn't exist", meeting.what, member)));
  }
  auto group = std::make_unique<Group>();
  group->counts.resize(members.size());
  for (Rendezvous& rendezvous : group->rendezvous) {
    rendezvous.calls.resize(members.size());
    rendezvous.present.resize(members.size());
  }
  group->members = members;
  return groups_.emplace(std::move(members), std::move(group)).first->second.get();
}

/// Checks that the arguments match those of the other members, and that the missing members can still arrive.
Status ThreadCommunicators::check_call(const Group& group, const Rendezvous& rendezvous, size_t place,
                                       const Call& call) const {
  for (size_t k = 0; k < group.members.size(); ++k) {
    if (k == place) continue;
    if (!rendezvous.present[k]) {
      if (!ended_[group.members[k]]) continue;
      return invalid_argument(fmt::format("{}: waits for replica {}, which has ended without this collective",
                                          call.what, group.members[k]));
    }
    const Call& other = rendezvous.calls[k];
    if (other.operation == call.operation && other.id == call.id && other.in.size() == call.in.size() &&
        other.out.size() == call.out.size())
      continue;
    return invalid_argument(fmt::format("called {} ({}, {} bytes), but replica {} called {} ({}, {} bytes)", call.what,
                                        call.operation, call.in.size(), group.members[k], other.what, other.operation,
                                        other.in.size()));
  }
  return ok_status();
}

StatusOr<ThreadCommunicators::Rendezvous*> ThreadCommunicators::enter(const Meeting& meeting, int64_t replica,
                                                                      const Call& call, size_t& place) {
  std::unique_lock lock(mutex_);
  if (!failure_.ok()) return failure_;
  HILO_ASSIGN_OR_RETURN(Group * group, group_of(meeting, replica, place));
  Rendezvous& rendezvous = group->rendezvous[group->counts[place]++ % 2];
  if (const Status status = check_call(*group, rendezvous, place, call); !status.ok()) return fail(replica, status);
  rendezvous.calls[place] = call;
  rendezvous.present[place] = true;
  HILO_RETURN_IF_ERROR(arrive(lock, rendezvous, replica));
  return &rendezvous;
}

/// Waits until all members have arrived or something has failed.
Status ThreadCommunicators::arrive(std::unique_lock<std::mutex>& lock, Rendezvous& rendezvous, int64_t replica) {
  if (++rendezvous.arrived == rendezvous.calls.size()) {
    rendezvous.open = false;
    waiting_ -= static_cast<int64_t>(rendezvous.arrived) - 1;
    rendezvous.changed.notify_all();
    return ok_status();
  }
  ++waiting_;
  check_progress();
  wait_for_others(lock, rendezvous, replica);
  return rendezvous.open ? failure_ : ok_status();
}

/// Returns the error of a waiting replica when the program must stop.
Status ThreadCommunicators::why_stopped(const Rendezvous& rendezvous, int64_t replica) const {
  if (cancellation_->word()->load(std::memory_order_relaxed) != kDeadlinePassed)
    return cancelled("the program was cancelled while the replica waited for others");
  for (const auto& [members, group] : groups_) {
    if (&rendezvous < std::begin(group->rendezvous) || &rendezvous >= std::end(group->rendezvous)) continue;
    std::vector<int64_t> missing;
    std::string_view what;
    for (size_t k = 0; k < members.size(); ++k) {
      if (!rendezvous.present[k]) missing.push_back(members[k]);
      else if (members[k] == replica) what = rendezvous.calls[k].what;
    }
    return Status(StatusCode::kDeadlineExceeded,
                  fmt::format("{}: timeout of the program while replica{} {} had not arrived", what,
                              missing.size() == 1 ? "" : "s", list_text(missing)));
  }
  return internal_error("replicas: a rendezvous without a group");
}

/// Waits until all members have arrived or something has failed. A signal handler may set the cancellation word without
/// waking a thread, so the word is checked between short sleeps.
void ThreadCommunicators::wait_for_others(std::unique_lock<std::mutex>& lock, Rendezvous& rendezvous, int64_t replica) {
  const auto over = [&] { return !rendezvous.open || !failure_.ok(); };
  if (cancellation_ == nullptr) return rendezvous.changed.wait(lock, over);
  while (!over()) {
    if (cancellation_->cancelled()) {
      (void)fail(replica, why_stopped(rendezvous, replica));
      return;
    }
    if (!rendezvous.changed.wait_for(lock, kPollInterval, over)) ++wake_ups_;
  }
}

/// Waits for the end of a round.
void ThreadCommunicators::pass(Rendezvous& rendezvous) {
  std::unique_lock lock(mutex_);
  if (++rendezvous.at_round == rendezvous.calls.size()) {
    rendezvous.at_round = 0;
    ++rendezvous.round;
    rendezvous.changed.notify_all();
    return;
  }
  const uint64_t round = rendezvous.round;
  rendezvous.changed.wait(lock, [&] { return rendezvous.round != round; });
}

/// The last round: no member reads memory any more. Resets the rendezvous for the collective after the next.
Status ThreadCommunicators::leave(Rendezvous& rendezvous) {
  std::unique_lock lock(mutex_);
  if (++rendezvous.at_round == rendezvous.calls.size()) {
    rendezvous.at_round = 0;
    ++rendezvous.round;
    rendezvous.arrived = 0;
    rendezvous.open = true;
    rendezvous.present.assign(rendezvous.present.size(), false);
    rendezvous.changed.notify_all();
    return rendezvous.failure;
  }
  const uint64_t round = rendezvous.round;
  rendezvous.changed.wait(lock, [&] { return rendezvous.round != round; });
  return rendezvous.failure;
}

/// Fails all collectives if every running replica waits for others.
void ThreadCommunicators::check_progress() {
  const int64_t ended = std::ranges::count(ended_, true);
  if (waiting_ == 0 || waiting_ + ended < size() || !failure_.ok()) return;
  for (const auto& [members, group] : groups_) {
    for (const Rendezvous& rendezvous : group->rendezvous) {
      if (rendezvous.arrived == 0 || !rendezvous.open) continue;
      for (size_t k = 0; k < members.size(); ++k) {
        if (!rendezvous.present[k]) continue;
        const auto reason = [&] {
          return failed_precondition(fmt::format(
              "{}: waits for all of the replicas {}, but every replica waits for another collective or has ended",
              rendezvous.calls[k].what, list_text(members)));
        };
        (void)fail(members[k], or_out_of_memory(reason));
        return;
      }
    }
  }
}

void ThreadCommunicators::end(int64_t replica) {
  std::lock_guard lock(mutex_);
  ended_[replica] = true;
  if (!failure_.ok()) return;
  for (const auto& [members, group] : groups_) {
    const auto me = std::ranges::find(members, replica);
    if (me == members.end()) continue;
    for (const Rendezvous& rendezvous : group->rendezvous) {
      const size_t place = me - members.begin();
      if (rendezvous.arrived == 0 || !rendezvous.open || rendezvous.present[place]) continue;
      const size_t other = std::ranges::find(rendezvous.present, true) - rendezvous.present.begin();
      const auto reason = [&] {
        return failed_precondition(fmt::format("ended without calling {}, for which replica {} waits",
                                               rendezvous.calls[other].what, members[other]));
      };
      (void)fail(replica, or_out_of_memory(reason));
      return;
    }
  }
  check_progress();
}

std::unique_ptr<CommunicatorGroup> thread_communicators(const RunMembers& members) {
  return std::make_unique<ThreadCommunicators>(members.here, members.cancellation);
}

}  // namespace hilo
