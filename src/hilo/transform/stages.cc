// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/stages.h"

#include <algorithm>

#include "hilo/client/cost_analysis.h"
#include "hilo/client/hlo_text.h"
#include "hilo/client/object_under_flags.h"
#include "hilo/client/stablehlo_text.h"
#include "hilo/mesh/shards.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/ref.h"
#include "hilo/transform/jit_cache.h"

namespace hilo::stages_detail {

/// One trace with its own cache, so that other traces don't evict it.
class Program {
 public:
  Program(const JitOptions& options, const std::source_location& location) : cache(options, location) {}
  hlo::Module module() const { return jit_detail::module_of(*entry, cache.options().name); }

  JitCache cache;
  std::shared_ptr<JitEntry> entry;
  std::vector<std::string> paths;                            ///< of the arguments' leaves
  std::vector<std::optional<NamedSharding>> leaf_shardings;  ///< shardings of sharded argument leaves
  std::optional<jit_detail::ShardedProgram> shared;          ///< compiled for sharded arrays
};

namespace {

CostAnalysis counted(const hlo::Cost& cost) { return {cost.flops, cost.transcendentals, cost.bytes, cost.exact}; }

std::string where(const Program& program) {
  const TransformationLocation here(program.cache.location());
  return at_user_line("compiled");
}

void refuse_tracers(const Program& program, std::span<const Array> leaves) {
  if (&current_trace() == &eval_trace() && std::ranges::all_of(leaves, is_concrete)) return;
  or_throw(unimplemented(where(program) +
                         ": Cannot apply JAX transformations to a function lowered and compiled for a particular "
                         "signature. Hint: transform the jitted function, then lower it"));
}

}  // namespace

std::string text_as_traced(const Program& program, const std::string& dialect) {
  if (dialect == "hlo") return hlo_text(program.module());
  if (dialect == "stablehlo") return or_throw(stablehlo_text(program.module()));
  or_throw(
      invalid_argument("Lowered::as_text: unknown dialect; got \"" + dialect + "\", wanted \"stablehlo\" or \"hlo\""));
  __builtin_unreachable();
}

CostAnalysis cost_as_traced(const Program& program) { return counted(cost_analysis(program.module())); }

ProgramPtr compile(const ProgramPtr& program, const CompilerOptions& options) {
  refuse_tracers(*program, program->entry->staged.captures);
  refuse_tracers(*program, without_refs(program->entry->captures));
  ProgramPtr compiled = program;
  if (!options.empty()) {
    JitOptions all = program->cache.options();
    for (const auto& [name, value] : options) all.compiler_options[name] = value;
    compiled = std::make_shared<Program>(all, program->cache.location());
    compiled->entry = std::make_shared<JitEntry>();
    static_cast<JitTrace&>(*compiled->entry) = *program->entry;
    compiled->paths = program->paths;
    compiled->leaf_shardings = program->leaf_shardings;
  }
  compiled->shared = jit_detail::sharded_program_of(compiled->cache, *compiled->entry, compiled->leaf_shardings);
  if (!compiled->shared) jit_detail::executable_of(compiled->cache, *compiled->entry);
  return compiled;
}

std::vector<ArgInfo> args_info(const Program& program) {
  std::vector<ArgInfo> infos;
  const JitEntry& entry = *program.entry;
  for (size_t i = 0; i < entry.avals.size(); ++i)
    infos.push_back({program.paths[i], entry.avals[i].shape, !entry.donated.empty() && entry.donated[i]});
  return infos;
}

std::shared_ptr<Executable> executable(const Program& program) {
  return program.shared ? program.shared->program->executable : program.entry->executable;
}

namespace {

NamedSharding where_alone(const Program& program) { return SingleDeviceSharding(executable(program)->devices()[0]); }

}  // namespace

std::vector<NamedSharding> input_shardings(const Program& program) {
  const JitEntry& entry = *program.entry;
  if (!program.shared) return std::vector(entry.avals.size(), where_alone(program));
  std::vector<NamedSharding> shardings(entry.avals.size(), NamedSharding(program.shared->mesh, PartitionSpec()));
  for (size_t k = 0; k < entry.kept.size(); ++k) shardings[entry.kept[k]] = program.shared->program->parameters[k];
  return shardings;
}

std::vector<NamedSharding> output_shardings(const Program& program) {
  if (!program.shared) return std::vector(program.entry->staged.results.size(), where_alone(program));
  return program.shared->program->results;
}

std::string text_as_compiled(const Program& program) {
  return hlo_text(*or_throw(optimized_module_of(*executable(program))));
}

CostAnalysis cost_as_compiled(const Program& program) { return counted(or_throw(cost_analysis(*executable(program)))); }

CompiledMemoryStats memory(const Program& program) {
  const MemoryAnalysis m = executable(program)->memory_analysis();
  return {m.code_bytes,      m.argument_bytes, m.output_bytes, m.alias_bytes,
          m.temporary_bytes, m.constant_bytes, m.peak_bytes};
}

std::vector<Array> call(Program& program, const FlatTree& arguments,
                        const std::function<std::string(size_t)>& path_of_leaf) {
  refuse_tracers(program, without_refs(arguments.leaves));
  const JitEntry& entry = *program.entry;
  if (arguments.structure != entry.structure || arguments.leaves.size() != entry.avals.size()) {
    or_throw(invalid_argument(where(program) +
                              ": the arguments have another tree, or another static value, than those that were "
                              "lowered; they are part of the program. Hint: lower it once more"));
  }
  for (size_t i = 0; i < entry.avals.size(); ++i) {
    const Shape& got = arguments.leaves[i].aval_shape();
    if (got == entry.avals[i].shape) continue;
    or_throw(invalid_argument(
        where(program) + ": Argument types differ from the types for which this computation was compiled; " +
        path_of_leaf(i) + " is " + got.to_string() + ", wanted " + entry.avals[i].shape.to_string()));
  }
  const jit_detail::ShardedProgram* const shared = program.shared ? &*program.shared : nullptr;
  return entry.uses_refs ? jit_detail::call_entry(program.cache, *program.entry, arguments.leaves, shared)
                         : jit_detail::execute(program.cache, *program.entry, arguments.leaves, shared);
}

namespace {

/// Returns the header of serialised programs: a magic word, and the meaning of the compiled computation.
std::string header_of(const Program& program) {
  const hlo::Fingerprint meaning = program.entry->program->fingerprint();
  return "hilo-compiled " + std::to_string(meaning.high) + "-" + std::to_string(meaning.low) + "\n";
}

}  // namespace

std::string serialize(const Program& program) {
  if (program.shared)
    or_throw(unimplemented(where(program) +
                           ": serialize: a program whose arrays several devices share can't be saved in this version. "
                           "Hint: HILO_CACHE keeps what is compiled"));
  return header_of(program) + or_throw(executable(program)->serialize());
}

void load(Program& program, const std::string& bytes) {
  refuse_tracers(program, program.entry->staged.captures);
  const std::string header = header_of(program);
  if (!bytes.starts_with(header)) {
    const bool is_program = bytes.starts_with("hilo-compiled ");
    or_throw(invalid_argument(
        where(program) + ": deserialize_and_load: the bytes are " +
        (is_program ? "those of a program of another meaning than the one that was lowered" : "no serialised program") +
        ". Hint: lower the same function for the same shapes and types"));
  }
  jit_detail::load_executable(program.cache, *program.entry, std::string_view(bytes).substr(header.size()));
}

namespace {

/// Returns the traced program as a function of all leaves; what it captured is constant.
hlo::ComputationPtr without_captures(const JitEntry& entry) {
  const hlo::Computation& c = *entry.staged.computation;
  hlo::Builder builder(c.name());
  std::vector<hlo::InstructionId> mapped(c.size(), hlo::kNoInstruction);
  for (size_t k = 0; k < c.parameters().size(); ++k) {
    const hlo::InstructionId id = c.parameters()[k];
    mapped[id] = k < entry.avals.size() ? builder.parameter(c.instruction(id).shape)
                                        : builder.constant(entry.staged.captures[k - entry.avals.size()].to_literal());
  }
  for (const hlo::Instruction& i : c.instructions()) {
    if (i.opcode != hlo::Opcode::kParameter) mapped[i.id] = or_throw(builder.copy(i, mapped));
  }
  return or_throw(std::move(builder).build(mapped[c.root_id()]));
}

}  // namespace

ObjectFiles object_files(const Program& program, ObjectOptions options) {
  const JitEntry& entry = *program.entry;
  refuse_tracers(program, entry.staged.captures);
  if (entry.uses_refs) or_throw(unimplemented(where(program) + ": export_object: the function uses refs"));
  if (std::ranges::any_of(program.leaf_shardings, [](const auto& sharding) { return sharding.has_value(); }))
    or_throw(unimplemented(where(program) + ": export_object: an argument is sharded"));
  if (options.argument_paths.empty()) options.argument_paths = program.paths;
  hlo::Module module;
  module.name = program.cache.options().name;
  module.entry = without_captures(entry);
  return or_throw(object_under_flags(module, options));
}

const std::shared_ptr<void>& prototype_of(const Program& program) { return program.entry->prototype; }

}  // namespace hilo::stages_detail

namespace hilo {

void write_object(const ObjectFiles& files, const std::string& path) { or_throw(write_object_files(files, path)); }

}  // namespace hilo

namespace hilo::jit_detail {

stages_detail::ProgramPtr lower(const Call& call, const JitOptions& options, const std::source_location& location) {
  check_static(call, location);
  auto program = std::make_shared<stages_detail::Program>(options, location);
  program->entry = trace_entry(program->cache, call);
  for (size_t i = 0; i < call.arguments.leaves.size(); ++i) {
    program->paths.push_back(call.path_of_leaf(i));
    const NamedSharding* const sharding = sharding_of(call.arguments.leaves[i]);
    program->leaf_shardings.push_back(sharding != nullptr ? std::optional(*sharding) : std::nullopt);
  }
  return program;
}

}  // namespace hilo::jit_detail
