// SPDX-License-Identifier: Apache-2.0
// Random programs with random shardings, partitioned over meshes of 2 to 8 devices. Results equal those of the whole
// program.
//   HILO_RANDOM_PROGRAMS   number of programs (default 150)
//   HILO_RANDOM_SEED       the first seed (default 0)
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>

#include "hilo/hlo/partition/partition.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/clients.h"
#include "tests/support/number_from.h"
#include "tests/support/partitioned.h"
#include "tests/support/random_program.h"

namespace hilo::tests {
namespace {

hlo::Mesh mesh_of(std::initializer_list<int64_t> sizes) {
  hlo::Mesh mesh;
  for (const int64_t size : sizes)
    mesh.axes.push_back({std::string(1, static_cast<char>('x' + mesh.axes.size())), size});
  return mesh;
}

const std::vector<hlo::Mesh>& meshes() {
  static const std::vector<hlo::Mesh> all = {mesh_of({2}), mesh_of({4}), mesh_of({2, 2}), mesh_of({8}),
                                             mesh_of({2, 4})};
  return all;
}

/// Axes on any dimension that they divide.
hlo::Sharding random_sharding(const Shape& shape, const hlo::Mesh& mesh, std::mt19937& random) {
  hlo::Sharding sharding;
  sharding.mesh = mesh;
  sharding.dimensions.resize(shape.is_array() ? static_cast<size_t>(shape.rank()) : 0);
  if (!shape.is_array() || shape.rank() == 0) return sharding;
  std::vector<int64_t> left(shape.dimensions().begin(), shape.dimensions().end());
  for (const hlo::MeshAxis& axis : mesh.axes) {
    const size_t d = random() % left.size();
    if (random() % 4 == 0 || left[d] == 0 || left[d] % axis.size != 0) continue;
    sharding.dimensions[d].axes.push_back({axis.name});
    left[d] /= axis.size;
  }
  return sharding;
}

bool is_cut(const hlo::Sharding& sharding) {
  return std::ranges::any_of(sharding.dimensions, [](const auto& dimension) { return !dimension.axes.empty(); });
}

/// Random shardings of parameters. Results sometimes have a fixed sharding, else propagation infers it.
hlo::PropagationRequest random_request(const hlo::Module& module, const hlo::Mesh& mesh, unsigned seed) {
  std::mt19937 random(seed);
  hlo::PropagationRequest request;
  request.mesh = mesh;
  for (const Shape& parameter : module.entry->parameter_shapes()) {
    for (const Shape& leaf : parameter.leaves()) request.parameters.push_back(random_sharding(leaf, mesh, random));
  }
  for (const Shape& leaf : module.entry->result_shape().leaves()) {
    request.results.emplace_back();
    if (random() % 3 == 0) request.results.back() = random_sharding(leaf, mesh, random);
  }
  request.free_parameters.resize(request.parameters.size());
  request.free_results.resize(request.results.size(), true);
  return request;
}

/// Statistics of the programs so far.
struct Counts {
  std::map<hlo::Opcode, int64_t> collectives;
  int64_t programs = 0, cut = 0, whole_ops = 0;
};

/// Simulates a partitioner that omits reductions: all-reduces become copies.
StatusOr<hlo::ComputationPtr> without_all_reduces(const hlo::ComputationPtr& computation) {
  hlo::ComputationDraft draft(computation->name());
  for (const hlo::Instruction& i : computation->instructions()) {
    if (i.opcode == hlo::Opcode::kAllReduce) draft.append(hlo::Opcode::kCopy, i.shape, i.operands, nullptr, i.name);
    else draft.append_copy(i, i.operands);
  }
  return std::move(draft).finish(computation->root_id());
}

/// Runs one shard on each device of the CPU engine.
Engine partitioned_engine(unsigned seed, Counts* counts = nullptr, bool planted = false) {
  return [=](const hlo::Module& module, const std::vector<Literal>& arguments) -> StatusOr<std::vector<Literal>> {
    const hlo::Mesh& mesh = meshes()[seed % meshes().size()];
    HILO_ASSIGN_OR_RETURN(hlo::PartitionedProgram program, hlo::partition(module, random_request(module, mesh, seed)));
    if (counts != nullptr) {
      ++counts->programs;
      counts->cut += std::ranges::any_of(program.parameters, is_cut) ? 1 : 0;
      counts->whole_ops += static_cast<int64_t>(program.report.whole_ops.size());
      for (const hlo::Transfer& transfer : program.report.transfers) ++counts->collectives[transfer.opcode];
    }
    if (planted) HILO_RETURN_IF_ERROR(hlo::rewrite_computations(program.module, without_all_reduces).status());
    return run_partitioned(*cpu_client(), program, mesh, arguments, module.entry->result_shape());
  };
}

std::string shown(const RandomProgram& program) {
  std::string text = hlo::print_module(program.module);
  for (size_t i = 0; i < program.arguments.size(); ++i)
    text += "argument " + std::to_string(i) + " = " + program.arguments[i].to_string(64) + "\n";
  return text;
}

TEST(PartitionedPrograms, GiveWhatTheyGiveWhole) {
  const unsigned count = number_from("HILO_RANDOM_PROGRAMS", 150), begin = number_from("HILO_RANDOM_SEED", 0);
  Coverage coverage;
  Counts counts;
  int differing = 0;
  for (unsigned seed = begin; seed < begin + count && differing < 5; ++seed) {
    const RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 13), coverage, Audience::kMeshes);
    const Engine engine = partitioned_engine(seed);
    const std::string text = hlo::disagreement(program, partitioned_engine(seed, &counts), by_names());
    if (text.empty()) continue;
    ++differing;
    const RandomProgram small = hlo::reduced(program, engine, by_names());
    ADD_FAILURE() << "seed " << seed << ": " << text << "\nreduced: " << hlo::disagreement(small, engine, by_names())
                  << "\n"
                  << shown(small);
  }
  std::cout << counts.programs << " programs, " << counts.cut << " with arrays that are cut, " << counts.whole_ops
            << " ops whole;";
  for (const auto& [opcode, times] : counts.collectives) std::cout << " " << times << " " << hlo::opcode_name(opcode);
  std::cout << "\n";
  EXPECT_GE(counts.cut * 2, counts.programs);
  EXPECT_GE(counts.collectives.size(), 5u) << "of all kinds";
}

TEST(PartitionedPrograms, FindAPlantedWrongRuleAndReduceItToAFewOps) {
  Coverage coverage;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const RandomProgram program = random_program(seed, 12, coverage, Audience::kMeshes);
    const Engine engine = partitioned_engine(seed, nullptr, /*planted=*/true);
    if (hlo::disagreement(program, engine, by_names()).empty()) continue;
    const RandomProgram small = hlo::reduced(program, engine, by_names());
    EXPECT_NE(hlo::disagreement(small, engine, by_names()), "");
    EXPECT_EQ(hlo::disagreement(small, partitioned_engine(seed), by_names()), "");
    EXPECT_LE(hlo::op_count(*small.module.entry), 4) << shown(small);
    return;
  }
  FAIL() << "no program found it";
}

}  // namespace
}  // namespace hilo::tests
