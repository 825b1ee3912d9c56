// SPDX-License-Identifier: Apache-2.0
// Results don't depend on the number of threads: the hash is the same for 1, 2, 3 and 7.
#include <iostream>
#include <set>

#include "hilo/base/thread_pool.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"
#include "tests/support/random_program.h"

namespace hilo::tests {
namespace {

constexpr int kThreads[] = {1, 2, 3, 7};

/// FNV-1a over the bytes of literals.
class Hash {
 public:
  void add(const Literal& literal) {
    for (std::byte b : literal.bytes()) value_ = (value_ ^ static_cast<uint64_t>(b)) * 0x100000001b3u;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

/// Compiles and runs the module for each number of threads. Returns the set of hashes.
std::set<uint64_t> hashes_of(const hlo::Module& module, const std::vector<Literal>& arguments) {
  std::set<uint64_t> hashes;
  for (const int threads : kThreads) {
    set_default_thread_count(threads);
    const auto executable = tests::cpu_client()->compile(module, {}, nullptr);
    EXPECT_TRUE(executable.ok()) << executable.status().to_string();
    if (!executable.ok()) break;
    Hash hash;
    for (const Literal& result : cpu::run(**executable, arguments)) hash.add(result);
    hashes.insert(hash.value());
  }
  set_default_thread_count(0);
  return hashes;
}

/// A program and its arguments with thousands of elements, so that several threads share the work.
class LargeProgram : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(LargeProgram, GivesTheSameBitsWithAnyNumberOfThreads) {
  const StatusOr<hlo::Module> module = hlo::parse_module(std::string("HloModule large\n") + GetParam().second + "\n");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  std::vector<Literal> arguments;
  for (const Shape& shape : module->entry->parameter_shapes())
    arguments.push_back(cpu::sample(shape, static_cast<unsigned>(arguments.size()) + 1));
  EXPECT_EQ(hashes_of(*module, arguments).size(), 1u);
}

constexpr std::pair<const char*, const char*> kLarge[] = {
    {"Map",
     R"(ENTRY e { x = f32[1000,300] parameter(0)  t = f32[1000,300] tanh(x)  ROOT r = f32[1000,300] add(t, x) })"},
    {"Row", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[999,301] parameter(0)  e = f32[999,301] exponential(x)  z = f32[] constant(0)
  s = f32[999] reduce(e, z), dimensions={1}, to_apply=add  w = f32[999,301] broadcast(s), dimensions={0}
  ROOT r = f32[999,301] divide(e, w) })"},
    {"Column", R"(add { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT s = f64[] add(a, b) }
ENTRY e { x = f64[1500,257] parameter(0)  t = f64[1500,257] sine(x)  z = f64[] constant(0)
  ROOT s = f64[257] reduce(t, z), dimensions={0}, to_apply=add })"},
    {"Full", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[400001] parameter(0)  t = f32[400001] cosine(x)  z = f32[] constant(0)
  ROOT s = f32[] reduce(t, z), dimensions={0}, to_apply=add })"},
    {"Dot", R"(ENTRY e { x = f32[301,303] parameter(0)  y = f32[303,299] parameter(1)
  ROOT d = f32[301,299] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"},
    {"NarrowDot", R"(ENTRY e { x = bf16[200,300] parameter(0)  y = bf16[300,100] parameter(1)
  ROOT d = bf16[200,100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"},
    {"BatchedDot", R"(ENTRY e { x = f64[16,60,70] parameter(0)  y = f64[16,70,50] parameter(1)
  ROOT d = f64[16,60,50] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} })"},
    {"ComplexDot", R"(ENTRY e { x = c64[150,151] parameter(0)  y = c64[151,152] parameter(1)
  ROOT d = c64[150,152] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"},
    {"Convolution", R"(ENTRY e { x = f32[4,28,28,16] parameter(0)  k = f32[3,3,16,32] parameter(1)
  ROOT c = f32[4,28,28,32] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f })"},
    {"ConvolutionGradient", R"(ENTRY e { x = f32[16,28,28,8] parameter(0)  g = f32[16,28,28,8] parameter(1)
  ROOT c = f32[3,3,8,8] convolution(x, g), window={size=28x28 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf })"},
    {"Pooling", R"(max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
ENTRY e { x = f32[8,64,64,16] parameter(0)  z = f32[] constant(-inf)
  ROOT w = f32[8,32,32,16] reduce-window(x, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=max })"},
    {"SelectAndScatter",
     R"(ge { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = pred[] compare(a, b), direction=GE }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[8,64,64,4] parameter(0)  g = f32[8,32,32,4] parameter(1)  z = f32[] constant(0)
  ROOT w = f32[8,64,64,4] select-and-scatter(x, g, z), window={size=1x2x2x1 stride=1x2x2x1}, select=ge, scatter=add })"},
    {"RunningSum", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[300,700] parameter(0)  z = f32[] constant(0)
  ROOT w = f32[300,700] reduce-window(x, z), window={size=1x700 pad=0_0x699_0}, to_apply=add })"},
    {"Sort", R"(lt { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = pred[] compare(a, b), direction=LT }
ENTRY e { x = f32[70,3000] parameter(0)  ROOT s = f32[70,3000] sort(x), dimensions={1}, is_stable=true, to_apply=lt })"},
    {"TopK",
     R"(ENTRY e { x = f32[100,1000] parameter(0)  ROOT t = (f32[100,5], s32[100,5]) topk(x), k=5, largest=true })"},
    {"Gather", R"(ENTRY e { x = f32[1000,64] parameter(0)  i = s32[4000] parameter(1)
  ROOT g = f32[4000,64] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64} })"},
    {"ScatterAdd", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[32,64] parameter(0)  i = s32[4000] parameter(1)  u = f32[4000,64] parameter(2)
  ROOT g = f32[32,64] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })"},
    {"ScatterAddOfWideRows", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[4,5000] parameter(0)  i = s32[100] parameter(1)  u = f32[100,5000] parameter(2)
  ROOT g = f32[4,5000] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })"},
    {"ScatterAddOfColumns", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[50,16] parameter(0)  i = s32[4000] parameter(1)  u = f32[50,4000] parameter(2)
  ROOT g = f32[50,16] scatter(x, i, u), update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=add })"},
    {"ScatterAddOfElements", R"(add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[400000] parameter(0)  i = s32[50000] parameter(1)  u = f32[50000] parameter(2)
  ROOT g = f32[400000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })"},
    {"Fft",
     R"(ENTRY e { x = c64[64,1024] parameter(0)  ROOT f = c64[64,1024] fft(x), fft_type=FFT, fft_length={1024} })"},
    {"LongFft",
     R"(ENTRY e { x = c128[65536] parameter(0)  ROOT f = c128[65536] fft(x), fft_type=FFT, fft_length={65536} })"},
    {"Cholesky", R"(ENTRY e { x = f32[40,40,40] parameter(0)  t = f32[40,40,40] transpose(x), dimensions={0,2,1}
  d = f32[40,40,40] dot(x, t), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  i = s32[40,40,40] iota(), iota_dimension=1  j = s32[40,40,40] iota(), iota_dimension=2
  q = pred[40,40,40] compare(i, j), direction=EQ  n = f32[40,40,40] convert(q)  a = f32[40,40,40] add(d, n)
  ROOT c = f32[40,40,40] cholesky(a), lower=true })"},
    {"TriangularSolve", R"(ENTRY e { a = f64[30,40,40] parameter(0)  b = f64[30,40,50] parameter(1)
  ROOT s = f64[30,40,50] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE })"},
    {"ManySmallTriangularSolves", R"(ENTRY e { a = f32[20001,5,5] parameter(0)  b = f32[20001,5,3] parameter(1)
  ROOT s = f32[20001,5,3] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE })"},
    {"ManySmallLu", R"(ENTRY e { x = f64[20001,4,4] parameter(0)
  ROOT f = (f64[20001,4,4]{1,2,0}, s32[20001,4]{1,0}, s32[20001]{0}) custom-call(x), custom_call_target="lapack_dgetrf_ffi", operand_layout_constraints={f64[20001,4,4]{1,2,0}}, api_version=API_VERSION_TYPED_FFI })"},
    {"ManySmallCholesky", R"(ENTRY e { x = f32[20001,3,3] parameter(0)
  ROOT f = (f32[20001,3,3]{1,2,0}, s32[20001]{0}) custom-call(x), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[20001,3,3]{1,2,0}}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8} })"},
    {"Random",
     R"(ENTRY e { k = u64[2] parameter(0)  ROOT r = (u64[2], u32[100003]) rng-bit-generator(k), algorithm=rng_three_fry })"},
    {"Copies", R"(ENTRY e { x = f32[200,300,10] parameter(0)  t = f32[300,10,200] transpose(x), dimensions={1,2,0}
  r = f32[300,10,200] reverse(t), dimensions={0,2}  ROOT c = f32[600,10,200] concatenate(r, t), dimensions={0} })"},
};

INSTANTIATE_TEST_SUITE_P(Threads, LargeProgram, testing::ValuesIn(kLarge),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(Threads, RandomProgramsHaveOneHash) {
  Coverage coverage;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomProgram program = random_program(seed, 10, coverage);
    EXPECT_EQ(hashes_of(program.module, leaves_of(program.arguments)).size(), 1u) << "seed " << seed;
  }
}

/// One program with all samples of an opcode.
TEST(Threads, SamplesOfAllOpsHaveOneHash) {
  constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kS32, ElementType::kC64};
  size_t programs = 0;
  for (int opcode = 0; opcode < hlo::kOpcodeCount; ++opcode) {
    if (!runs_alone(static_cast<hlo::Opcode>(opcode))) continue;
    hlo::Builder builder("main");
    std::vector<hlo::InstructionId> results;
    std::vector<Literal> arguments;
    for (const ElementType type : kTypes) {
      for (const Sample& sample : samples_of(static_cast<hlo::Opcode>(opcode), type, 33, Values::kEdges)) {
        if (!computation_of(sample).ok()) continue;  // no such instruction: see tests/status
        const StatusOr<hlo::InstructionId> id = append(builder, sample);
        ASSERT_TRUE(id.ok()) << id.status().to_string();
        results.push_back(*id);
        for (const Literal& leaf : leaves_of(sample.operands)) arguments.push_back(leaf);
      }
    }
    if (results.empty()) continue;
    ++programs;
    const hlo::InstructionId root = builder.tuple(results);
    StatusOr<hlo::ComputationPtr> entry = std::move(builder).build(root);
    ASSERT_TRUE(entry.ok()) << entry.status().to_string();
    EXPECT_EQ(hashes_of(module_of(*entry), arguments).size(), 1u) << hlo::opcode_name(static_cast<hlo::Opcode>(opcode));
  }
  EXPECT_GT(programs, 100u);
}

}  // namespace
}  // namespace hilo::tests
