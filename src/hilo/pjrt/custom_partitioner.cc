// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/custom_partitioner.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/placement.h"

namespace hilo::pjrt {
namespace {

using hlo::proto::WireMessage;
using hlo::proto::WireWriter;
using Text = JAX_CustomCallPartitioner_string;

struct Registry {
  std::mutex mutex;
  std::map<std::string, CustomPartitionerPtr, std::less<>> by_target;
  std::vector<CustomPartitionerPtr> replaced;  ///< may still be in use
  std::set<std::string, std::less<>> batched;
};
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

Text text(std::string_view value) { return {value.data(), value.size()}; }
std::string_view view(const Text& value) {
  return value.size == 0 ? std::string_view() : std::string_view(value.data, value.size);
}

// ---- Messages: field numbers of OpSharding in XLA's xla_data.proto.

constexpr uint32_t kType = 1, kElements = 5;
constexpr int64_t kTuple = 2;

StatusOr<std::string> op_sharding(const Shape& shape, const hlo::Sharding& sharding, int64_t devices) {
  if (!shape.is_array() || sharding.dimensions.empty()) return std::string();
  HILO_ASSIGN_OR_RETURN(Placement placement, placement_of(shape, sharding, sharding.mesh, devices));
  return std::move(placement.sharding);
}

/// Returns the sharding of a single array, or the tuple of several arrays' shardings.
StatusOr<std::string> op_sharding(const std::vector<Shape>& shapes, const std::vector<hlo::Sharding>& shardings,
                                  int64_t devices) {
  if (shapes.size() == 1) return op_sharding(shapes[0], shardings[0], devices);
  WireWriter tuple;
  tuple.integer(kType, kTuple);
  for (size_t i = 0; i < shapes.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const std::string one, op_sharding(shapes[i], shardings[i], devices));
    tuple.bytes(kElements, one);
  }
  return std::move(tuple).take();
}

StatusOr<std::vector<std::string>> elements_of(std::string_view message, size_t count) {
  HILO_ASSIGN_OR_RETURN(const WireMessage sharding, WireMessage::read(message, "OpSharding"));
  HILO_ASSIGN_OR_RETURN(const int64_t type, sharding.integer(kType));
  if (type != kTuple && count == 1) return std::vector<std::string>{std::string(message)};
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, sharding.items(kElements));
  if (type != kTuple || items.size() != count)
    return invalid_argument(
        fmt::format("got shardings of {} results; wanted {}", type == kTuple ? items.size() : 1, count));
  return std::vector<std::string>(items.begin(), items.end());
}

std::string shape_proto(const std::vector<Shape>& shapes) {
  return hlo::proto::write_shape(shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes)).view();
}

/// Arrays in the format of callbacks, with the memory of their texts.
struct Avals {
  std::vector<std::string> shapes, shardings;
  std::vector<JAX_CustomCallPartitioner_aval> list;
};
StatusOr<Avals> avals_of(const std::vector<Shape>& shapes, const std::vector<hlo::Sharding>& shardings,
                         int64_t devices) {
  Avals made;
  for (size_t i = 0; i < shapes.size(); ++i) {
    made.shapes.push_back(shape_proto({shapes[i]}));
    HILO_ASSIGN_OR_RETURN(std::string sharding, op_sharding(shapes[i], shardings[i], devices));
    made.shardings.push_back(std::move(sharding));
  }
  for (size_t i = 0; i < shapes.size(); ++i) made.list.push_back({text(made.shapes[i]), true, text(made.shardings[i])});
  return made;
}

/// Calls the function, reads its results by `read`, then frees them.
template <class Args, class Read>
auto answered(JAX_CustomCallPartitioner_Callbacks& partitioner, std::string_view name,
              void (*function)(JAX_CustomCallPartitioner_Callbacks*, Args*), Args& args, const Read& read)
    -> decltype(read()) {
  if (function == nullptr) return unimplemented(fmt::format("a custom partitioner without {}", name));
  function(&partitioner, &args);
  const auto free = [](JAX_CustomCallPartitioner_version_and_error* header) {
    if (header->cleanup_fn != nullptr) header->cleanup_fn(header->data);
  };
  const std::unique_ptr<JAX_CustomCallPartitioner_version_and_error, decltype(free)> owner(&args.header, free);
  if (!args.header.has_error) return read();
  const Status status = status_from(args.header.code, args.header.error_msg.data, args.header.error_msg.size);
  return status.ok() ? internal_error(fmt::format("{}: {}", name, view(args.header.error_msg))) : status;
}

}  // namespace

Status answer(PJRT_Register_Custom_Partitioner_Args& args) {
  HILO_PJRT_WANTED(args, name);
  HILO_PJRT_WANTED(args, callbacks);
  if (args.callbacks->version != 0)
    return unimplemented(fmt::format("a custom partitioner of version {}; wanted 0", args.callbacks->version));
  CustomPartitionerPtr made(args.callbacks, [](JAX_CustomCallPartitioner_Callbacks* callbacks) {
    if (callbacks->dtor != nullptr) callbacks->dtor(callbacks);
  });
  std::vector<CustomPartitionerPtr> unheld;  // destroyed after the lock is released
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  CustomPartitionerPtr& place = all.by_target[std::string(args.name, args.name_size)];
  if (place != nullptr) all.replaced.push_back(std::move(place));
  place = std::move(made);
  std::erase_if(all.replaced, [&](CustomPartitionerPtr& old) {
    if (old.use_count() > 1) return false;
    unheld.push_back(std::move(old));
    return true;
  });
  return ok_status();
}

Status answer(PJRT_Register_Batch_Partitionable_Args& args) {
  HILO_PJRT_WANTED(args, name);
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  all.batched.emplace(args.name, args.name_size);
  return ok_status();
}

std::vector<std::string> batch_partitionable_targets() {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  return {all.batched.begin(), all.batched.end()};
}

CustomPartitionerPtr find_custom_partitioner(std::string_view target) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.by_target.find(target);
  return found == all.by_target.end() ? nullptr : found->second;
}

std::vector<std::string> custom_partitioner_targets() {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  std::vector<std::string> targets;
  for (const auto& [target, partitioner] : all.by_target) targets.push_back(target);
  return targets;
}

StatusOr<PartitionAnswer> ask_partition(JAX_CustomCallPartitioner_Callbacks& partitioner, const SharedCall& call,
                                        const std::vector<hlo::Sharding>& operands,
                                        const std::vector<hlo::Sharding>& results) {
  HILO_ASSIGN_OR_RETURN(Avals avals, avals_of(call.operands, operands, call.devices));
  HILO_ASSIGN_OR_RETURN(const std::string sharding, op_sharding(call.results, results, call.devices));
  const std::string shape = shape_proto(call.results);
  JAX_CustomCallPartitioner_Partition_Args args{};
  args.num_args = avals.list.size();
  args.op_args = avals.list.data();
  args.op_result = {text(shape), true, text(sharding)};
  args.backend_config = text(call.backend_config);
  return answered(partitioner, "partition", partitioner.partition, args, [&]() -> StatusOr<PartitionAnswer> {
    PartitionAnswer made;
    made.module = view(args.mlir_module);
    for (size_t i = 0; i < avals.list.size(); ++i) made.operands.emplace_back(view(args.args_sharding[i]));
    HILO_ASSIGN_OR_RETURN(made.results, elements_of(view(args.result_sharding), call.results.size()));
    return made;
  });
}

StatusOr<std::vector<std::string>> ask_results(JAX_CustomCallPartitioner_Callbacks& partitioner, const SharedCall& call,
                                               const std::vector<hlo::Sharding>& operands) {
  HILO_ASSIGN_OR_RETURN(Avals avals, avals_of(call.operands, operands, call.devices));
  const std::string shape = shape_proto(call.results);
  JAX_CustomCallPartitioner_InferShardingFromOperands_Args args{};
  args.num_args = avals.list.size();
  args.op_args = avals.list.data();
  args.result_shape = text(shape);
  args.backend_config = text(call.backend_config);
  return answered(partitioner, "infer_sharding", partitioner.infer_sharding, args,
                  [&]() -> StatusOr<std::vector<std::string>> {
                    if (!args.has_result_sharding) return std::vector<std::string>();
                    return elements_of(view(args.result_sharding), call.results.size());
                  });
}

StatusOr<std::vector<std::string>> ask_for_users(JAX_CustomCallPartitioner_Callbacks& partitioner,
                                                 const SharedCall& call, const std::vector<hlo::Sharding>& results) {
  HILO_ASSIGN_OR_RETURN(const std::string sharding, op_sharding(call.results, results, call.devices));
  const std::string shape = shape_proto(call.results);
  JAX_CustomCallPartitioner_PropagateUserSharding_Args args{};
  args.backend_config = text(call.backend_config);
  args.result_shape = text(shape);
  args.result_sharding = text(sharding);
  return answered(partitioner, "propagate_user_sharding", partitioner.propagate_user_sharding, args,
                  [&] { return elements_of(view(args.result_sharding), call.results.size()); });
}

// ---- Saved answers: one message per answer.

namespace {
constexpr uint32_t kAnswer = 1, kOperation = 1, kModule = 2, kOperands = 3, kResults = 4;
}  // namespace

std::string write_answers(const std::vector<PartitionAnswer>& answers) {
  WireWriter all;
  for (const PartitionAnswer& answer : answers) {
    WireWriter one;
    one.integer(kOperation, answer.operation);
    one.bytes(kModule, answer.module);
    for (const std::string& sharding : answer.operands) one.bytes(kOperands, sharding);
    for (const std::string& sharding : answer.results) one.bytes(kResults, sharding);
    all.message(kAnswer, one);
  }
  return std::move(all).take();
}

StatusOr<std::vector<PartitionAnswer>> read_answers(std::string_view bytes) {
  std::vector<PartitionAnswer> answers;
  HILO_ASSIGN_OR_RETURN(const WireMessage all, WireMessage::read(bytes, "PartitionAnswers"));
  HILO_RETURN_IF_ERROR(all.for_each_message(kAnswer, "PartitionAnswer", [&](const WireMessage& one) -> Status {
    PartitionAnswer& answer = answers.emplace_back();
    HILO_ASSIGN_OR_RETURN(const int64_t operation, one.integer(kOperation));
    answer.operation = static_cast<stablehlo::OperationId>(operation);
    HILO_ASSIGN_OR_RETURN(answer.module, one.text(kModule));
    HILO_ASSIGN_OR_RETURN(const auto operands, one.items(kOperands));
    HILO_ASSIGN_OR_RETURN(const auto results, one.items(kResults));
    answer.operands.assign(operands.begin(), operands.end());
    answer.results.assign(results.begin(), results.end());
    return ok_status();
  }));
  return answers;
}

}  // namespace hilo::pjrt
