// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/options.h"

#include "hilo/hlo/proto/wire.h"

namespace hilo::plugins {
namespace {

using hlo::proto::WireWriter;

// CompileOptionsProto
constexpr uint32_t kExecutableBuildOptions = 3, kCompilePortableExecutable = 4;
// ExecutableBuildOptionsProto
constexpr uint32_t kNumReplicas = 4, kNumPartitions = 5, kDeviceAssignment = 9;
// DeviceAssignmentProto
constexpr uint32_t kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3;
// DeviceAssignmentProto.ComputationDevice
constexpr uint32_t kReplicaDeviceIds = 1;

WireWriter build_options(int64_t replicas) {
  WireWriter build;
  build.integer(kNumReplicas, replicas);
  build.integer(kNumPartitions, 1);
  return build;
}

}  // namespace

std::string portable_options() {
  WireWriter options;
  options.message(kExecutableBuildOptions, build_options(1));
  options.boolean(kCompilePortableExecutable, true);
  return std::move(options).take();
}

std::string replica_options(std::span<const int64_t> devices) {
  const int64_t replicas = devices.size();
  WireWriter of_computation, assignment, options;
  of_computation.integers(kReplicaDeviceIds, devices);
  assignment.integer(kReplicaCount, replicas);
  assignment.integer(kComputationCount, 1);
  assignment.message(kComputationDevices, of_computation);
  WireWriter build = build_options(replicas);
  build.message(kDeviceAssignment, assignment);
  options.message(kExecutableBuildOptions, build);
  return std::move(options).take();
}

}  // namespace hilo::plugins
