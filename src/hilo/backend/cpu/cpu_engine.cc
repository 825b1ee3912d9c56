// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/cpu_engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "hilo/backend/cpu/load/codegen_table.h"
#include "hilo/backend/cpu/load/cpu_program.h"
#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/backend/cpu/load/spare_memory.h"
#include "hilo/backend/limits.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/verify/verifier.h"

namespace hilo {
namespace {

constexpr size_t kCodegenBytes = 4 << 20;  // more than the static objects of LLVM need

/// Opening the library runs LLVM's static constructors. Exceptions can't pass through their callers, so memory must be
/// available.
StatusOr<const cpu::CodegenTable*> open_codegen() {
  static std::atomic<const cpu::CodegenTable*> opened = nullptr;
  if (const cpu::CodegenTable* const table = opened.load(std::memory_order_acquire); table != nullptr) return table;
  std::make_unique_for_overwrite<std::byte[]>(kCodegenBytes).reset();
  const cpu::SpareMemory spare;
  HILO_ASSIGN_OR_RETURN(const cpu::CodegenTable* const table, open_companion<cpu::CodegenTable>());
  opened.store(table, std::memory_order_release);
  return table;
}

class CpuEngine final : public HostEngine {
 public:
  std::string_view platform_name() const override { return "Host"; }
  std::string device_kind() const override {
    return (cpu::kIsX86 ? "x86-64, " : "AArch64, ") + std::string(cpu::isa_name(cpu::host_isa()));
  }

  StatusOr<std::unique_ptr<HostProgram>> compile(const hlo::Module& module, const CompileOptions& options,
                                                 hlo::PassObserver* observer) override try {
    const CompileScope scope(options);
    StatusOr<std::unique_ptr<HostProgram>> program = compile_within(module, options, observer);
    const Status outcome = scope.outcome(program.status(), module.name, options.limits);
    if (!outcome.ok()) return outcome;
    return program;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

  StatusOr<std::unique_ptr<HostProgram>> load(std::string_view bytes) override try {
    const auto began = std::chrono::steady_clock::now();
    HILO_ASSIGN_OR_RETURN(cpu::SavedProgram saved, cpu::read_program(bytes));
    HILO_ASSIGN_OR_RETURN(const cpu::Isa isa, cpu::selected_isa());
    HILO_ASSIGN_OR_RETURN(cpu::Program loaded, cpu::load_program(std::move(saved.plan), isa));
    const double milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    auto module = std::make_unique<cpu::ProgramModule>(std::move(saved.module));
    return std::unique_ptr<HostProgram>(std::make_unique<cpu::CpuProgram>(std::move(saved.signature), std::move(module),
                                                                          std::move(loaded), 0, milliseconds));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

  StatusOr<ObjectFiles> compile_object(const hlo::Module& module, const CompileOptions& options,
                                       const ObjectOptions& object) override try {
    const CompileScope scope(options);
    StatusOr<ObjectFiles> files = object_within(module, options, object);
    const Status outcome = scope.outcome(files.status(), module.name, options.limits);
    if (!outcome.ok()) return outcome;
    return files;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

 private:
  static StatusOr<std::unique_ptr<HostProgram>> compile_within(const hlo::Module& module, const CompileOptions& options,
                                                               hlo::PassObserver* observer) {
    const auto began = std::chrono::steady_clock::now();
    HILO_ASSIGN_OR_RETURN(const cpu::Isa isa, cpu::selected_isa());
    HILO_ASSIGN_OR_RETURN(Compiled compiled, plan_of(module, options, isa, form_of(options), observer));
    const bool tiers = options.effort.tiers && compiled.emitted.quick > 0 && !options.hlo_profile;
    std::optional<hlo::Module> optimized;
    if (tiers) optimized = *compiled.optimized;
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<cpu::CpuProgram> program,
                          loaded(std::move(compiled), host_signature(module, options), isa, began, options));
    if (tiers && !calls_the_user(*optimized))
      program->replace_later(good_code(*std::move(optimized), isa, form_of(options)),
                             kGoodOverQuick * program->statistics().compile_milliseconds * 1e-3);
    return std::unique_ptr<HostProgram>(std::move(program));
  }

  static constexpr double kGoodOverQuick = 5;  // compile time of good code, in that of quick code

  /// Whether the program has custom calls, which may keep a state for each executable.
  static bool calls_the_user(const hlo::Module& module) {
    return std::ranges::any_of(hlo::computations_of(module), [](const hlo::ComputationPtr& computation) {
      return std::ranges::any_of(computation->instructions(),
                                 [](const hlo::Instruction& i) { return i.opcode == hlo::Opcode::kCustomCall; });
    });
  }

  static cpu::Tier::Generate good_code(hlo::Module optimized, cpu::Isa isa, engine::LoopForm form) {
    return [optimized = std::move(optimized), isa, form]() -> StatusOr<cpu::Program> {
      const FloatingPointScope nearest;
      HILO_ASSIGN_OR_RETURN(const cpu::CodegenTable* const codegen, open_codegen());
      HILO_ASSIGN_OR_RETURN(cpu::EmittedPlan emitted, codegen->compile_plan(optimized, isa, form, nullptr, {}));
      return cpu::load_program(std::move(emitted.plan), isa);
    };
  }

  /// Returns the effort for code generation that begins now, in a compilation that began earlier.
  static CompileEffort rest_of(CompileEffort effort, std::chrono::steady_clock::time_point began) {
    constexpr double kNothing = 1e-9;  // 0 means no limit
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    if (effort.budget != 0) effort.budget = std::max(effort.budget - passed.count(), kNothing);
    return effort;
  }

  /// A program before it is loaded.
  struct Compiled {
    std::unique_ptr<hlo::Module> optimized;
    cpu::EmittedPlan emitted;
  };

  static engine::LoopForm form_of(const CompileOptions& options) {
    return options.straight_lines ? engine::LoopForm::kStraight : engine::LoopForm::kRegisters;
  }

  static StatusOr<Compiled> plan_of(const hlo::Module& module, const CompileOptions& options, cpu::Isa isa,
                                    engine::LoopForm form, hlo::PassObserver* observer) {
    const auto began = std::chrono::steady_clock::now();
    const FloatingPointScope nearest;
    HILO_RETURN_IF_ERROR(hlo::verify(module));
    HILO_RETURN_IF_ERROR(check_collectives(module, options.replica_count));
    HILO_RETURN_IF_ERROR(check_instruction_limit(module, options.limits));
    HILO_RETURN_IF_ERROR(check_array_sizes(module));
    HILO_ASSIGN_OR_RETURN(const cpu::CodegenTable* const codegen, open_codegen());
    const std::unique_ptr<engine::Target> target = codegen->target(isa);
    auto optimized = std::make_unique<hlo::Module>(module);
    hlo::DriverOptions passes;
    passes.observer = observer;
    passes.engine = {target->whole_ops(), target->costs().small_matrices, target->costs().core_cache_bytes};
    passes.check = [&](const hlo::Module& grown) { return check_growth_limit(module, grown, options.limits); };
    HILO_RETURN_IF_ERROR(hlo::run_passes(*optimized, hlo::default_pipeline(), passes).status());
    if (cpu::is_exact(isa)) HILO_RETURN_IF_ERROR(hlo::run_passes(*optimized, hlo::exact_pipeline(), passes).status());
    HILO_RETURN_IF_ERROR(check_expansion_limit(module, *optimized, options.limits));
    HILO_ASSIGN_OR_RETURN(cpu::EmittedPlan emitted,
                          codegen->compile_plan(*optimized, isa, form, observer, rest_of(options.effort, began)));
    return Compiled{std::move(optimized), std::move(emitted)};
  }

  static StatusOr<std::unique_ptr<cpu::CpuProgram>> loaded(Compiled compiled, ProgramSignature signature, cpu::Isa isa,
                                                           std::chrono::steady_clock::time_point began,
                                                           const CompileOptions& options,
                                                           cpu::BindCall bind = cpu::bind_hero) {
    HILO_ASSIGN_OR_RETURN(cpu::Program code, cpu::load_program(std::move(compiled.emitted.plan), isa, bind));
    const double milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    auto program = std::make_unique<cpu::CpuProgram>(
        std::move(signature), std::make_unique<cpu::ProgramModule>(std::move(compiled.optimized)), std::move(code),
        compiled.emitted.compiled, milliseconds);
    program->set_quick(compiled.emitted.quick);
    HILO_RETURN_IF_ERROR(check_memory_limit(program->signature(), program->statistics(), options.limits));
    return program;
  }

  /// Returns the instruction sets of an object, lowest first.
  static StatusOr<std::vector<cpu::Isa>> isas_of(const ObjectOptions& object, const cpu::CodegenTable& codegen) {
    if (object.target.empty()) {
      HILO_ASSIGN_OR_RETURN(const cpu::Isa isa, cpu::selected_isa());
      return std::vector{isa};
    }
    return codegen.isas_of_target(object.target);
  }

  /// A program that needs hilo's library is compiled again without what has another form: products by library calls,
  /// and lines whose guard needs other code.
  static StatusOr<ObjectFiles> object_within(const hlo::Module& module, const CompileOptions& options,
                                             const ObjectOptions& object) {
    StatusOr<ObjectFiles> files = object_of(module, options, object, form_of(options));
    if (files.ok() || files.status().code() != StatusCode::kUnimplemented) return files;
    return object_of(module, options, object, engine::LoopForm::kAlone);
  }

  /// Whether the call is a product of at least 512 x 512 x 512 terms.
  static bool is_large_product(const engine::LibraryCall& call) {
    constexpr double kTerms = 1 << 27;
    if (call.symbol != "dot") return false;
    const auto count = [](const Shape& shape) { return static_cast<double>(shape.element_count()); };
    return count(call.operands[0]) * count(call.operands[1]) * count(call.results[0]) >= kTerms * kTerms;
  }

  /// Objects are compiled once and run often. Their code is never replaced.
  static CompileOptions good(CompileOptions options) {
    options.effort = {.tiers = false};
    return options;
  }

  static StatusOr<ObjectFiles> object_of(const hlo::Module& module, const CompileOptions& options,
                                         const ObjectOptions& object, engine::LoopForm form) {
    HILO_ASSIGN_OR_RETURN(const cpu::CodegenTable* const codegen, open_codegen());
    HILO_ASSIGN_OR_RETURN(const std::vector<cpu::Isa> isas, isas_of(object, *codegen));
    std::vector<Compiled> compiled;
    for (const cpu::Isa isa : isas) {
      HILO_ASSIGN_OR_RETURN(compiled.emplace_back(), plan_of(module, good(options), isa, form, nullptr));
      const std::vector<engine::LibraryCall>& calls = compiled.back().emitted.plan.library_calls;
      const bool has_products = std::ranges::any_of(calls, [](const auto& call) { return call.symbol == "dot"; });
      const bool keeps_them = object.runtime == ObjectRuntime::kLibrary && std::ranges::any_of(calls, is_large_product);
      // Loops are faster than products of libhilo_rt.a, and need no library, unless they exceed a cache. For a product
      // of 512 x 512 x 512 terms in f32, loops take twice as long.
      if (has_products && !keeps_them && form != engine::LoopForm::kAlone)
        return object_of(module, options, object, engine::LoopForm::kAlone);
    }
    std::vector<cpu::LevelPlan> levels;
    for (size_t k = 0; k < isas.size(); ++k) levels.push_back({isas[k], &compiled[k].emitted.plan});
    const ProgramSignature signature = host_signature(module, options);
    HILO_ASSIGN_OR_RETURN(ObjectFiles files, codegen->write_object(levels, signature, *compiled[0].optimized, object));
    if (!object.test) return files;
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HostProgram> program,
                          tested_program(module, options, form, signature, isas, std::move(compiled)));
    HILO_ASSIGN_OR_RETURN(const std::vector<Literal> results, results_of(*program, object.test_arguments));
    HILO_ASSIGN_OR_RETURN(files.test, codegen->test_program(signature, object, results));
    return files;
  }

  /// Returns the program whose results the test of an object has: the level that the object chooses on this machine.
  /// For AArch64, on x86-64, it is code of x86-64 that computes the same bits.
  static StatusOr<std::unique_ptr<HostProgram>> tested_program(const hlo::Module& module, const CompileOptions& options,
                                                               engine::LoopForm form, ProgramSignature signature,
                                                               std::vector<cpu::Isa> isas,
                                                               std::vector<Compiled> compiled) {
    if (cpu::is_arm(isas[0]) && !cpu::is_native(isas[0])) {
      isas[0] = cpu::is_exact(isas[0]) ? cpu::Isa::kExactSse2 : cpu::Isa::kNeonBits;
      HILO_ASSIGN_OR_RETURN(compiled[0], plan_of(module, good(options), isas[0], form, nullptr));
    }
    for (size_t level = isas.size(); level-- > 0;) {
      if (!cpu::host_has(isas[level])) continue;
      HILO_ASSIGN_OR_RETURN(std::unique_ptr<cpu::CpuProgram> program,
                            loaded(std::move(compiled[level]), std::move(signature), isas[level],
                                   std::chrono::steady_clock::now(), options, cpu::bind_routine));
      return std::unique_ptr<HostProgram>(std::move(program));
    }
    return failed_precondition("writing the test of an object: this machine lacks the instructions of its target");
  }

  /// Runs a program on arrays in memory.
  static StatusOr<std::vector<Literal>> results_of(HostProgram& program, std::span<const Literal> arguments) {
    if (arguments.size() != program.signature().argument_shapes.size())
      return invalid_argument("writing the test of an object: another number of arguments than the program has");
    std::vector<Literal> results;
    std::vector<const std::byte*> from;
    std::vector<std::byte*> to;
    for (const Literal& argument : arguments) from.push_back(argument.bytes().data());
    for (const Shape& shape : program.signature().result_shapes) {
      HILO_ASSIGN_OR_RETURN(results.emplace_back(), Literal::make(shape));
    }
    for (Literal& result : results) to.push_back(result.mutable_bytes().data());
    HILO_RETURN_IF_ERROR(program.run_at(from, to, nullptr));
    return results;
  }
};

}  // namespace

HostEngine& cpu_engine() {
  static auto* const engine = new CpuEngine;
  return *engine;
}

}  // namespace hilo
