// SPDX-License-Identifier: Apache-2.0
// Breaks each constraint that an op's rule or verifier names by its id in the StableHLO specification. Each case
// changes one place of a valid program and expects an error about that place.
#include <filesystem>
#include <regex>
#include <set>

#include "hilo/base/files.h"
#include "tests/hlo/ops/run_text.h"
#include "tests/paths.h"

namespace hilo::hlo {
namespace {

/// Computations that the rows call.
constexpr const char* kComputations = R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
add_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
before { a = f32[] parameter(0)  b = f32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)  ROOT p = pred[] compare(a, b), direction=LT }
ge { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = pred[] compare(a, b), direction=GE }
grown { c = s32[] parameter(0)  ROOT s = s32[2] broadcast(c), dimensions={} }
half { c = f32[4] parameter(0)  ROOT s = f32[2] slice(c), slice={[0:2]} }
less { c = s32[] parameter(0)  n = s32[] constant(3)  ROOT p = pred[] compare(c, n), direction=LT }
less_f32 { c = f32[] parameter(0)  n = f32[] constant(3)  ROOT p = pred[] compare(c, n), direction=LT }
next { c = s32[] parameter(0)  n = s32[] constant(1)  ROOT s = s32[] add(c, n) }
next_f32 { c = f32[] parameter(0)  ROOT s = f32[] negate(c) }
number { c = s32[] parameter(0)  ROOT s = s32[] negate(c) }
pair { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  d = f32[] parameter(3)  s = f32[] add(a, c)  t = f32[] add(b, d)  ROOT r = (f32[], f32[]) tuple(s, t) }
same { c = f32[4] parameter(0)  ROOT s = f32[4] negate(c) }
)";

/// A valid program of one op.
struct Right {
  const char* name;
  const char* body;
};
// clang-format off: one program, one row each
constexpr Right kRight[] = {
    {"all_reduce", "x = f32[4] parameter(0)\n  y = f32[3] parameter(1)\n  ROOT r = (f32[4], f32[3]) all-reduce(x, y), replica_groups={{0,1}}, to_apply=add"},
    {"all_gather", "x = f32[4,2] parameter(0)\n  ROOT r = f32[8,2] all-gather(x), replica_groups={{0,1}}, dimensions={0}"},
    {"all_to_all", "x = f32[4,2] parameter(0)\n  y = f32[4,2] parameter(1)\n  ROOT r = (f32[4,2], f32[4,2]) all-to-all(x, y), replica_groups={{0,1}}"},
    {"all_to_all_split", "x = f32[4,2] parameter(0)\n  ROOT r = f32[4,2] all-to-all(x), replica_groups={{0,1}}, dimensions={0}"},
    {"reduce_scatter", "x = f32[4,2] parameter(0)\n  ROOT r = f32[2,2] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add"},
    {"collective_broadcast", "x = f32[4] parameter(0)\n  ROOT r = f32[4] collective-broadcast(x), replica_groups={{0,1}}"},
    {"collective_permute", "x = f32[4] parameter(0)\n  ROOT r = f32[4] collective-permute(x), source_target_pairs={{0,1},{1,0}}"},
    {"get_tuple_element", "x = (f32[4], s32[]) parameter(0)\n  ROOT r = s32[] get-tuple-element(x), index=1"},
    {"while", "x = s32[] parameter(0)\n  ROOT r = s32[] while(x), condition=less, body=next"},
    {"case", "i = s32[] parameter(0)\n  x = f32[4] parameter(1)\n  ROOT r = f32[4] conditional(i, x, x), branch_computations={same, same}"},
    {"if", "i = pred[] parameter(0)\n  x = f32[4] parameter(1)\n  ROOT r = f32[4] conditional(i, x, x), true_computation=same, false_computation=same"},
    {"convolution", "x = f32[2,8,8,4] parameter(0)\n  k = f32[3,3,4,6] parameter(1)\n  ROOT r = f32[2,6,6,6] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f"},
    {"grouped", "x = f32[4,8,4] parameter(0)\n  k = f32[3,2,6] parameter(1)\n  ROOT r = f32[4,6,6] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, feature_group_count=2"},
    {"batch_grouped", "x = f32[4,8,4] parameter(0)\n  k = f32[3,4,6] parameter(1)\n  ROOT r = f32[2,6,6] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=2"},
    {"dot_general", "x = f32[2,3,5] parameter(0)\n  y = f32[2,5,4] parameter(1)\n  ROOT r = f32[2,3,4] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
    {"complex", "x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  ROOT r = c64[4] complex(x, y)"},
    {"compare", "x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  ROOT r = pred[4] compare(x, y), direction=LT, type=FLOAT"},
    {"compare_complex", "x = c64[4] parameter(0)\n  y = c64[4] parameter(1)\n  ROOT r = pred[4] compare(x, y), direction=EQ, type=FLOAT"},
    {"select", "p = pred[4] parameter(0)\n  x = f32[4] parameter(1)\n  y = f32[4] parameter(2)\n  ROOT r = f32[4] select(p, x, y)"},
    {"clamp", "a = f32[] parameter(0)\n  x = f32[4] parameter(1)\n  b = f32[] parameter(2)\n  ROOT r = f32[4] clamp(a, x, b)"},
    {"reduce_precision", "x = f32[4] parameter(0)\n  ROOT r = f32[4] reduce-precision(x), exponent_bits=5, mantissa_bits=10"},
    {"batch_norm_training", "x = f32[4,3] parameter(0)\n  s = f32[3] parameter(1)\n  o = f32[3] parameter(2)\n  ROOT r = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1"},
    {"batch_norm_inference", "x = f32[4,3] parameter(0)\n  s = f32[3] parameter(1)\n  o = f32[3] parameter(2)\n  m = f32[3] parameter(3)\n  v = f32[3] parameter(4)\n  ROOT r = f32[4,3] batch-norm-inference(x, s, o, m, v), epsilon=0.001, feature_index=1"},
    {"batch_norm_grad", "x = f32[4,3] parameter(0)\n  s = f32[3] parameter(1)\n  m = f32[3] parameter(2)\n  v = f32[3] parameter(3)\n  g = f32[4,3] parameter(4)\n  ROOT r = (f32[4,3], f32[3], f32[3]) batch-norm-grad(x, s, m, v, g), epsilon=0.001, feature_index=1"},
    {"get_dimension_size", "x = f32[4,3] parameter(0)\n  ROOT r = s32[] get-dimension-size(x), dimensions={1}"},
    {"dynamic_reshape", "x = f32[4,3] parameter(0)\n  a = s32[] parameter(1)\n  b = s32[] parameter(2)\n  ROOT r = f32[3,4] dynamic-reshape(x, a, b)"},
    {"map", "x = f32[4,3] parameter(0)\n  y = f32[4,3] parameter(1)\n  ROOT r = f32[4,3] map(x, y), dimensions={0,1}, to_apply=add"},
    {"rng", "a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[4] rng(a, b), distribution=rng_uniform"},
    {"fft", "x = c64[2,8] parameter(0)\n  ROOT r = c64[2,8] fft(x), fft_type=FFT, fft_length={8}"},
    {"rfft", "x = f32[2,8] parameter(0)\n  ROOT r = c64[2,5] fft(x), fft_type=RFFT, fft_length={8}"},
    {"irfft", "x = c64[2,5] parameter(0)\n  ROOT r = f32[2,8] fft(x), fft_type=IRFFT, fft_length={8}"},
    {"gather", "x = f32[2,5,6,7] parameter(0)\n  i = s32[3,2,2] parameter(1)\n  ROOT r = f32[3,2,6,4] gather(x, i), offset_dims={2,3}, collapsed_slice_dims={1}, start_index_map={1,3}, operand_batching_dims={0}, start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={1,1,6,4}"},
    {"scatter", "x = f32[2,5,6,7] parameter(0)\n  i = s32[3,2,2] parameter(1)\n  u = f32[3,2,6,4] parameter(2)\n  ROOT r = f32[2,5,6,7] scatter(x, i, u), update_window_dims={2,3}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1,3}, input_batching_dims={0}, scatter_indices_batching_dims={1}, index_vector_dim=2, to_apply=add"},
    {"scatters", "x = f32[5] parameter(0)\n  y = f32[5] parameter(1)\n  i = s32[3] parameter(2)\n  u = f32[3] parameter(3)\n  v = f32[3] parameter(4)\n  ROOT r = (f32[5], f32[5]) scatter(x, y, i, u, v), inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=pair"},
    {"cholesky", "x = f32[2,3,3] parameter(0)\n  ROOT r = f32[2,3,3] cholesky(x), lower=true"},
    {"triangular_solve", "a = f32[2,3,3] parameter(0)\n  b = f32[2,3,4] parameter(1)\n  ROOT r = f32[2,3,4] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE"},
    {"rng_bit_generator", "x = u64[2] parameter(0)\n  ROOT r = (u64[2], u32[4]) rng-bit-generator(x), algorithm=rng_three_fry"},
    {"reduce", "x = f32[4,3] parameter(0)\n  i = f32[] parameter(1)\n  ROOT r = f32[3] reduce(x, i), dimensions={0}, to_apply=add"},
    {"reduces", "x = f32[4,3] parameter(0)\n  y = f32[4,3] parameter(1)\n  i = f32[] parameter(2)\n  j = f32[] parameter(3)\n  ROOT r = (f32[3], f32[3]) reduce(x, y, i, j), dimensions={0}, to_apply=pair"},
    {"reduce_window", "x = f32[4,3] parameter(0)\n  i = f32[] parameter(1)\n  ROOT r = f32[3,2] reduce-window(x, i), window={size=2x2}, to_apply=add"},
    {"reduce_windows", "x = f32[4,3] parameter(0)\n  y = f32[4,3] parameter(1)\n  i = f32[] parameter(2)\n  j = f32[] parameter(3)\n  ROOT r = (f32[3,2], f32[3,2]) reduce-window(x, y, i, j), window={size=2x2}, to_apply=pair"},
    {"select_and_scatter", "x = f32[4,6] parameter(0)\n  s = f32[2,3] parameter(1)\n  i = f32[] parameter(2)\n  ROOT r = f32[4,6] select-and-scatter(x, s, i), window={size=2x2 stride=2x2}, select=ge, scatter=add"},
    {"reshape", "x = f32[4,3] parameter(0)\n  ROOT r = f32[12] reshape(x)"},
    {"broadcast_in_dim", "x = f32[3,4] parameter(0)\n  ROOT r = f32[2,3,4] broadcast(x), dimensions={1,2}"},
    {"transpose", "x = f32[3,4] parameter(0)\n  ROOT r = f32[4,3] transpose(x), dimensions={1,0}"},
    {"reverse", "x = f32[3,4] parameter(0)\n  ROOT r = f32[3,4] reverse(x), dimensions={1,0}"},
    {"bitcast_convert", "x = f32[3] parameter(0)\n  ROOT r = u8[3,4] bitcast-convert(x)"},
    {"bitcast_wider", "x = u8[3,4] parameter(0)\n  ROOT r = f32[3] bitcast-convert(x)"},
    {"iota", "ROOT r = f32[3,4] iota(), iota_dimension=1"},
    {"slice", "x = f32[8,4] parameter(0)\n  ROOT r = f32[3,4] slice(x), slice={[1:7:2], [0:4]}"},
    {"dynamic_slice", "x = f32[8,4] parameter(0)\n  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n  ROOT r = f32[3,4] dynamic-slice(x, i, j), dynamic_slice_sizes={3,4}"},
    {"dynamic_update_slice", "x = f32[8,4] parameter(0)\n  u = f32[3,4] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n  ROOT r = f32[8,4] dynamic-update-slice(x, u, i, j)"},
    {"concatenate", "x = f32[2,4] parameter(0)\n  y = f32[3,4] parameter(1)\n  ROOT r = f32[5,4] concatenate(x, y), dimensions={0}"},
    {"pad", "x = f32[4,3] parameter(0)\n  v = f32[] parameter(1)\n  ROOT r = f32[8,3] pad(x, v), padding=1_0_1x0_0"},
    {"sort", "x = f32[4,3] parameter(0)\n  y = s32[4,3] parameter(1)\n  ROOT r = (f32[4,3], s32[4,3]) sort(x, y), dimensions={0}, to_apply=before"},
    {"infeed", "t = token[] parameter(0)\n  ROOT r = (f32[4], token[]) infeed(t)"},
};

struct Broken {
  const char* constraints;  ///< ids, separated by spaces
  const char* right;  ///< the name of its valid program
  const char* from;  ///< the text to replace
  const char* to;
  const char* message;  ///< a part of the message
};
constexpr Broken kBroken[] = {
    {"all_reduce_c1", "all_reduce", "{{0,1}}", "{{0,0}}", "replica_groups: 0 appears twice in the groups"},
    {"all_reduce_c2", "all_reduce", "{{0,1}}", "{{0,2}}", "replica_groups: 2 is out of range; wanted each of the ids 0 to 1"},
    {"all_reduce_c3", "all_reduce", "{{0,1}}", "{{0,-1}}", "replica_groups: -1 is out of range; wanted each of the ids 0 to 1"},
    {"all_reduce_c4", "all_reduce", "replica_groups={{0,1}}", "replica_groups={{0,1}}, use_global_device_ids=true", "use_global_device_ids: needs a channel_id above 0; got 0"},
    {"all_reduce_c5", "all_reduce", "to_apply=add", "to_apply=ge", "to_apply 'ge': returns pred[], wanted f32[]"},
    {"all_reduce_c6 all_reduce_c7", "all_reduce", "r = (f32[4], f32[3])", "r = (f32[4], f32[4])", "declared shape is (f32[4], f32[4]); the operands imply (f32[4], f32[3])"},
    {"all_gather_c1", "all_gather", "dimensions={0}", "dimensions={2}", "dimensions 2 out of range for f32[4,2] of rank 2"},
    {"all_gather_c2", "all_gather", "{{0,1}}", "{{0,0}}", "replica_groups: 0 appears twice in the groups"},
    {"all_gather_c3", "all_gather", "{{0,1}}", "{{0,1},{2}}", "replica_groups: groups differ in size; got {0,1} and {2}"},
    {"all_gather_c4", "all_gather", "{{0,1}}", "{{0,-1}}", "replica_groups: -1 is out of range; wanted each of the ids 0 to 1"},
    {"all_gather_c5", "all_gather", "replica_groups={{0,1}}", "replica_groups={{0,1}}, use_global_device_ids=true", "use_global_device_ids: needs a channel_id above 0; got 0"},
    {"all_gather_c6", "all_gather", "r = f32[8,2]", "r = f32[9,2]", "declared shape is f32[9,2]; the operands imply f32[8,2]"},
    {"all_to_all_c1", "all_to_all_split", "dimensions={0}", "dimensions={-1}", "dimensions -1 out of range for f32[4,2] of rank 2"},
    {"all_to_all_c2", "all_to_all_split", "{{0,1}}", "{{0,1,2}}", "dimension 0 of f32[4,2] isn't divisible by the 3 members of a group"},
    {"all_to_all_c3", "all_to_all_split", "dimensions={0}", "dimensions={2}", "dimensions 2 out of range for f32[4,2] of rank 2"},
    {"all_to_all_c5", "all_to_all_split", "{{0,1}}", "{{0,0}}", "replica_groups: 0 appears twice in the groups"},
    {"all_to_all_c6", "all_to_all_split", "{{0,1}}", "{{0,1},{2}}", "replica_groups: groups differ in size; got {0,1} and {2}"},
    {"all_to_all_c7", "all_to_all_split", "{{0,1}}", "{{0,-1}}", "replica_groups: -1 is out of range; wanted each of the ids 0 to 1"},
    {"all_to_all_c8", "all_to_all", "{{0,1}}", "{{0,1,2}}", "got 2 operands for the 3 members of a group; wanted one each"},
    {"all_to_all_c9", "all_to_all_split", "r = f32[4,2]", "r = f32[2,4]", "declared shape is f32[2,4]; the operands imply f32[4,2]"},
    {"reduce_scatter_c1", "reduce_scatter", "{{0,1}}", "{{0,1,2}}", "dimension 0 of f32[4,2] isn't divisible by the 3 members of a group"},
    {"reduce_scatter_c2", "reduce_scatter", "dimensions={0}", "dimensions={2}", "dimensions 2 out of range for f32[4,2] of rank 2"},
    {"reduce_scatter_c3", "reduce_scatter", "{{0,1}}", "{{0,0}}", "replica_groups: 0 appears twice in the groups"},
    {"reduce_scatter_c4", "reduce_scatter", "{{0,1}}", "{{0,1},{2}}", "replica_groups: groups differ in size; got {0,1} and {2}"},
    {"reduce_scatter_c5", "reduce_scatter", "{{0,1}}", "{{0,-1}}", "replica_groups: -1 is out of range; wanted each of the ids 0 to 1"},
    {"reduce_scatter_c6", "reduce_scatter", "replica_groups={{0,1}}", "replica_groups={{0,1}}, use_global_device_ids=true", "use_global_device_ids: needs a channel_id above 0; got 0"},
    {"reduce_scatter_c7", "reduce_scatter", "to_apply=add", "to_apply=ge", "to_apply 'ge': returns pred[], wanted f32[]"},
    {"reduce_scatter_c8", "reduce_scatter", "r = f32[2,2]", "r = f32[4,2]", "declared shape is f32[4,2]; the operands imply f32[2,2]"},
    {"reduce_scatter_c9", "reduce_scatter", "r = f32[2,2]", "r = f64[2,2]", "declared shape is f64[2,2]; the operands imply f32[2,2]"},
    {"collective_broadcast_c1", "collective_broadcast", "{{0,1}}", "{{0,0}}", "replica_groups: 0 appears twice in the groups"},
    {"collective_broadcast_c2", "collective_broadcast", "{{0,1}}", "{{0,-1}}", "replica_groups: -1 is out of range; wanted a number from 0 on"},
    {"collective_broadcast_c3", "collective_broadcast", "r = f32[4]", "r = f32[5]", "declared shape is f32[5]; the operands imply f32[4]"},
    {"collective_permute_c2", "collective_permute", "{1,0}", "{0,2}", "source_target_pairs: 0 is source twice"},
    {"collective_permute_c3", "collective_permute", "{1,0}", "{2,1}", "source_target_pairs: 1 is target twice"},
    {"collective_permute_c4", "collective_permute", "{1,0}", "{1,-1}", "source_target_pairs: {1,-1} is out of range; wanted numbers from 0 on"},
    {"collective_permute_c5", "collective_permute", "r = f32[4]", "r = f32[5]", "declared shape is f32[5]; the operands imply f32[4]"},
    {"get_tuple_element_c1", "get_tuple_element", "index=1", "index=2", "index 2 out of range for (f32[4], s32[]) of 2 elements"},
    {"get_tuple_element_c2", "get_tuple_element", "r = s32[]", "r = f32[4]", "declared shape is f32[4]; the operands imply s32[]"},
    {"while_c1", "while", "condition=less", "condition=less_f32", "condition 'less_f32' takes f32[] as argument 0; got s32[]"},
    {"while_c2", "while", "body=next", "body=next_f32", "body 'next_f32' takes f32[] as argument 0; got s32[]"},
    {"while_c2", "while", "body=next", "body=grown", "body returns s32[2], carry is s32[]"},
    {"while_c3", "while", "r = s32[]", "r = f32[]", "declared shape is f32[]; the operands imply s32[]"},
    {"case_c1", "case", "conditional(i, x, x), branch_computations={same, same}", "conditional(i), branch_computations={}", "there must be at least one branch"},
    {"case_c2", "case", "{same, same}", "{same, number}", "branch 1 'number' takes s32[] as argument 0; got f32[4]"},
    {"case_c3", "case", "{same, same}", "{same, half}", "branches must return one shape; branch 0 returns f32[4], branch 1"},
    {"case_c4", "case", "r = f32[4]", "r = f32[5]", "declared shape is f32[5]; the operands imply f32[4]"},
    {"if_c1", "if", "false_computation=same", "false_computation=number", "branch 1 'number' takes s32[] as argument 0; got f32[4]"},
    {"if_c2", "if", "false_computation=same", "false_computation=half", "branches must return one shape; branch 0 returns f32[4], branch 1"},
    {"if_c3", "if", "r = f32[4]", "r = f32[5]", "declared shape is f32[5]; the operands imply f32[4]"},
    {"convolution_c1", "convolution", "k = f32[3,3,4,6]", "k = f32[3,4,6]", "input and kernel must have equal ranks of at least 2; got f32[2,8,8,4] and"},
    {"convolution_c2", "convolution", "window={size=3x3}", "window={size=3}", "window: got 1 dimensions, wanted 2"},
    {"convolution_c3", "convolution", "window={size=3x3}", "window={size=3x3 stride=0x1}", "window: dim 0: stride 0 < 1"},
    {"convolution_c4", "convolution", "window={size=3x3}", "window={size=3x3 pad=0_0}", "window: pad has 1 dimensions, others have 2"},
    {"convolution_c5", "convolution", "window={size=3x3}", "window={size=3x3 lhs_dilate=1}", "window: lhs_dilate has 1 dimensions, others have 2"},
    {"convolution_c6", "convolution", "window={size=3x3}", "window={size=3x3 lhs_dilate=0x1}", "window: dim 0: base dilation 0 < 1"},
    {"convolution_c7", "convolution", "window={size=3x3}", "window={size=3x3 rhs_dilate=1}", "window: rhs_dilate has 1 dimensions, others have 2"},
    {"convolution_c8", "convolution", "window={size=3x3}", "window={size=3x3 rhs_dilate=0x1}", "window: dim 0: window dilation 0 < 1"},
    {"convolution_c9", "convolution", "window={size=3x3}", "window={size=3x3 rhs_reversal=1}", "window: rhs_reversal has 1 dimensions, others have 2"},
    {"convolution_c10", "batch_grouped", "x = f32[4,8,4]", "x = f32[3,8,4]", "batch_group_count 2 doesn't divide the input's batch, 3"},
    {"convolution_c11", "grouped", "x = f32[4,8,4]", "x = f32[4,8,5]", "feature_group_count 2 doesn't divide the input's features, 5"},
    {"convolution_c12", "convolution", "b01f_01io->b01f", "b02f_01io->b01f", "dim_labels: 'b02f_01io->b01f' is not of the form b01f_01io->b01f"},
    {"convolution_c13", "convolution", "b01f_01io->b01f", "b00f_01io->b01f", "dim_labels: 'b00f_01io->b01f' is not of the form b01f_01io->b01f"},
    {"convolution_c14", "convolution", "k = f32[3,3,4,6]", "k = f32[3,3,5,6]", "the kernel's input features: got 5, wanted 4, the input's 4 over"},
    {"convolution_c15", "batch_grouped", "k = f32[3,4,6]", "k = f32[3,4,5]", "batch_group_count 2 doesn't divide the kernel's output features, 5"},
    {"convolution_c16", "grouped", "k = f32[3,2,6]", "k = f32[3,2,5]", "feature_group_count 2 doesn't divide the kernel's output features, 5"},
    {"convolution_c17", "convolution", "b01f_01io->b01f", "b01f_02io->b01f", "dim_labels: 'b01f_02io->b01f' is not of the form b01f_01io->b01f"},
    {"convolution_c18", "convolution", "b01f_01io->b01f", "b01f_00io->b01f", "dim_labels: 'b01f_00io->b01f' is not of the form b01f_01io->b01f"},
    {"convolution_c19", "convolution", "b01f_01io->b01f", "b01f_01io->b02f", "dim_labels: 'b01f_01io->b02f' is not of the form b01f_01io->b01f"},
    {"convolution_c20", "convolution", "b01f_01io->b01f", "b01f_01io->b00f", "dim_labels: 'b01f_01io->b00f' is not of the form b01f_01io->b01f"},
    {"convolution_c21", "grouped", "feature_group_count=2", "feature_group_count=0", "feature_group_count: got 0, wanted at least 1"},
    {"convolution_c22", "batch_grouped", "batch_group_count=2", "batch_group_count=0", "batch_group_count: got 0, wanted at least 1"},
    {"convolution_c23", "grouped", "feature_group_count=2", "feature_group_count=2, batch_group_count=2", "feature_group_count 2 and batch_group_count 2: only one may exceed 1"},
    {"convolution_c24", "convolution", "dim_labels=b01f_01io->b01f", "dim_labels=b01f_01io->b01f, operand_precision={highest}", "operand_precision: got 1 values, wanted 2, one per operand"},
    {"convolution_c25", "convolution", "r = f32[2,6,6,6]", "r = f32[2,6,7,6]", "declared shape is f32[2,6,7,6]; the operands imply f32[2,6,6,6]"},
    {"convolution_c26", "convolution", "r = f32[2,6,6,6]", "r = f32[2,6,6,7]", "declared shape is f32[2,6,6,7]; the operands imply f32[2,6,6,6]"},
    {"convolution_c27", "convolution", "k = f32[3,3,4,6]", "k = s32[3,3,4,6]", "element types differ; lhs f32[2,8,8,4], rhs s32[3,3,4,6]"},
    {"dot_general_c1", "dot_general", "lhs_batch_dims={0}, ", "", "lhs_batch_dims and rhs_batch_dims differ in length; got {} and {0}"},
    {"dot_general_c2", "dot_general", "rhs_contracting_dims={1}", "rhs_contracting_dims={1,2}", "lhs_contracting_dims and rhs_contracting_dims differ in length; got"},
    {"dot_general_c3", "dot_general", "lhs_contracting_dims={2}", "lhs_contracting_dims={0}", "lhs_batch_dims and lhs_contracting_dims share dimension 0; got {0}"},
    {"dot_general_c4", "dot_general", "rhs_contracting_dims={1}", "rhs_contracting_dims={0}", "rhs_batch_dims and rhs_contracting_dims share dimension 0; got {0}"},
    {"dot_general_c5", "dot_general", "lhs_batch_dims={0}", "lhs_batch_dims={3}", "lhs_batch_dims 3 out of range for f32[2,3,5] of rank 3"},
    {"dot_general_c6", "dot_general", "lhs_contracting_dims={2}", "lhs_contracting_dims={3}", "lhs_contracting_dims 3 out of range for f32[2,3,5] of rank 3"},
    {"dot_general_c7", "dot_general", "rhs_batch_dims={0}", "rhs_batch_dims={-1}", "rhs_batch_dims -1 out of range for f32[2,5,4] of rank 3"},
    {"dot_general_c8", "dot_general", "rhs_contracting_dims={1}", "rhs_contracting_dims={3}", "rhs_contracting_dims 3 out of range for f32[2,5,4] of rank 3"},
    {"dot_general_c9", "dot_general", "y = f32[2,5,4]", "y = f32[3,5,4]", "batch dimensions differ; lhs f32[2,3,5] dim 0 = 2, rhs f32[3,5,4] dim"},
    {"dot_general_c10", "dot_general", "y = f32[2,5,4]", "y = f32[2,6,4]", "contracting dimensions differ; lhs f32[2,3,5] dim 2 = 5, rhs"},
    {"dot_general_c11", "dot_general", "rhs_contracting_dims={1}", "rhs_contracting_dims={1}, operand_precision={highest}", "operand_precision: got 1 values, wanted 2, one per operand"},
    {"dot_general_c12", "dot_general", "r = f32[2,3,4]", "r = f32[2,4,3]", "declared shape is f32[2,4,3]; the operands imply f32[2,3,4]"},
    {"dot_general_c13", "dot_general", "y = f32[2,5,4]", "y = s32[2,5,4]", "element types differ; lhs f32[2,3,5], rhs s32[2,5,4]"},
    {"complex_c1", "complex", "y = f32[4]", "y = f32[5]", "operand shapes differ; got f32[4] and f32[5] (HLO does not broadcast"},
    {"compare_c1", "compare", "y = f32[4]", "y = s32[4]", "operand element types differ; got f32[4] and s32[4]"},
    {"compare_c2", "compare", "y = f32[4]", "y = f32[5]", "operand shapes differ; got f32[4] and f32[5] (HLO does not broadcast"},
    {"compare_c4", "compare_complex", "type=FLOAT", "type=TOTALORDER", "comparison type TOTALORDER doesn't apply to c64[4]"},
    {"select_c1", "select", "p = pred[4]", "p = pred[5]", "operand 0 must be a scalar or have the dimensions of the others; got"},
    {"select_c2", "select", "y = f32[4]", "y = f64[4]", "operand element types differ; got f32[4] and f64[4]"},
    {"clamp_c1", "clamp", "a = f32[]", "a = f32[3]", "bounds must be scalars or have the dimensions of the value; got"},
    {"clamp_c2", "clamp", "b = f32[]", "b = f32[3]", "bounds must be scalars or have the dimensions of the value; got"},
    {"clamp_c3", "clamp", "b = f32[]", "b = f64[]", "bounds must have the element type of the value; got f64[] for f32[4]"},
    {"reduce_precision_c2", "reduce_precision", "exponent_bits=5", "exponent_bits=0", "exponent_bits must be at least 1; got 0"},
    {"reduce_precision_c3", "reduce_precision", "mantissa_bits=10", "mantissa_bits=-1", "mantissa_bits must not be negative; got -1"},
    {"batch_norm_training_c1", "batch_norm_training", "feature_index=1", "feature_index=2", "feature_index 2 out of range for f32[4,3] of rank 2"},
    {"batch_norm_training_c2", "batch_norm_training", "s = f32[3]", "s = f64[3]", "scale is f64[3], wanted f32[3]"},
    {"batch_norm_training_c3", "batch_norm_training", "s = f32[3]", "s = f32[4]", "scale is f32[4], wanted f32[3]"},
    {"batch_norm_training_c4", "batch_norm_training", "o = f32[3]", "o = f32[4]", "offset is f32[4], wanted f32[3]"},
    {"batch_norm_training_c5", "batch_norm_training", "r = (f32[4,3], f32[3], f32[3])", "r = (f32[4,3], f32[4], f32[3])", "declared shape is (f32[4,3], f32[4], f32[3]); the operands imply"},
    {"batch_norm_training_c6", "batch_norm_training", "r = (f32[4,3], f32[3], f32[3])", "r = (f32[4,3], f32[3], f32[4])", "declared shape is (f32[4,3], f32[3], f32[4]); the operands imply"},
    {"batch_norm_training_c7", "batch_norm_training", "r = (f32[4,3], f32[3], f32[3])", "r = (f32[3,4], f32[3], f32[3])", "declared shape is (f32[3,4], f32[3], f32[3]); the operands imply"},
    {"batch_norm_inference_c1", "batch_norm_inference", "feature_index=1", "feature_index=2", "feature_index 2 out of range for f32[4,3] of rank 2"},
    {"batch_norm_inference_c2", "batch_norm_inference", "m = f32[3]", "m = f64[3]", "mean is f64[3], wanted f32[3]"},
    {"batch_norm_inference_c3", "batch_norm_inference", "s = f32[3]", "s = f32[4]", "scale is f32[4], wanted f32[3]"},
    {"batch_norm_inference_c4", "batch_norm_inference", "o = f32[3]", "o = f32[4]", "offset is f32[4], wanted f32[3]"},
    {"batch_norm_inference_c5", "batch_norm_inference", "m = f32[3]", "m = f32[4]", "mean is f32[4], wanted f32[3]"},
    {"batch_norm_inference_c6", "batch_norm_inference", "v = f32[3]", "v = f32[4]", "variance is f32[4], wanted f32[3]"},
    {"batch_norm_inference_c7", "batch_norm_inference", "r = f32[4,3]", "r = f32[3,4]", "declared shape is f32[3,4]; the operands imply f32[4,3]"},
    {"batch_norm_grad_c1", "batch_norm_grad", "feature_index=1", "feature_index=2", "feature_index 2 out of range for f32[4,3] of rank 2"},
    {"batch_norm_grad_c2", "batch_norm_grad", "g = f32[4,3]", "g = f64[4,3]", "grad_output is f64[4,3], wanted f32[4,3]"},
    {"batch_norm_grad_c3", "batch_norm_grad", "g = f32[4,3]", "g = f32[3,4]", "grad_output is f32[3,4], wanted f32[4,3]"},
    {"batch_norm_grad_c4", "batch_norm_grad", "v = f32[3]", "v = f32[4]", "variance is f32[4], wanted f32[3]"},
    {"get_dimension_size_c1", "get_dimension_size", "dimensions={1}", "dimensions={2}", "dimensions 2 out of range for f32[4,3] of rank 2"},
    {"dynamic_reshape_c1", "dynamic_reshape", "r = f32[3,4]", "r = f64[3,4]", "element types differ; got f32[4,3] and f64[3,4]"},
    {"dynamic_reshape_c2", "dynamic_reshape", "r = f32[3,4]", "r = f32[3,3]", "f32[4,3] has 12 elements, the result f32[3,3] has 9"},
    {"map_c1", "map", "y = f32[4,3]", "y = f32[3,4]", "operands differ in shape; operand 0 is f32[4,3], operand 1 is f32[3,4]"},
    {"map_c2", "map", "r = f32[4,3]", "r = f32[3,4]", "declared shape is f32[3,4]; the operands imply f32[4,3]"},
    {"map_c3", "map", "dimensions={0,1}", "dimensions={1,0}", "dimensions: got {1,0}, wanted all 2 of f32[4,3] in order"},
    {"map_c4", "map", "to_apply=add", "to_apply=add_s32", "to_apply 'add_s32': parameter 0 is s32[], wanted f32[]"},
    {"rng_c1", "rng", "b = f32[]", "b = f64[]", "operand 1 is f64[], wanted f32[]"},
    {"rng_c2", "rng", "r = f32[4]", "r = c64[4]", "operand 0 is f32[], wanted c64[]"},
    {"fft_c1", "fft", "fft_length={8}", "fft_length={1,2,8}", "fft_length: got 3 lengths for operand c64[2,8]"},
    {"fft_c2", "fft", "x = c64[2,8]", "x = f32[2,8]", "FFT: operand 0 is f32[2,8]; wanted complex elements"},
    {"fft_c2", "rfft", "x = f32[2,8]", "x = c64[2,8]", "RFFT: operand 0 is c64[2,8]; wanted f32 or f64"},
    {"fft_c3", "fft", "fft_length={8}", "fft_length={}", "fft_length: got 0 lengths, wanted 1 to 3"},
    {"fft_c4", "rfft", "fft_length={8}", "fft_length={6}", "fft_length 6 needs 6 elements in dimension 1; operand 0 is f32[2,8]"},
    {"fft_c5", "irfft", "fft_length={8}", "fft_length={6}", "fft_length 6 needs 4 elements in dimension 1; operand 0 is c64[2,5]"},
    {"gather_c1", "gather", "slice_sizes={1,1,6,4}", "slice_sizes={1,1,6}", "slice_sizes: got {1,1,6}, wanted one size per dimension of"},
    {"gather_c2", "gather", "index_vector_dim=2", "index_vector_dim=4", "index_vector_dim: got 4, wanted 0 to 3, the rank of the indices"},
    {"gather_c3", "gather", "start_index_map={1,3}", "start_index_map={1}", "start_index_map: got {1}, 1 dimensions; an index vector of s32[3,2,2]"},
    {"gather_c4", "gather", "offset_dims={2,3}", "offset_dims={3,2}", "offset_dims: not in ascending order; got {3,2}"},
    {"gather_c5", "gather", "offset_dims={2,3}", "offset_dims={2,4}", "offset_dims: 4 is out of range; got {2,4}, and the result has rank 4"},
    {"gather_c6", "gather", "collapsed_slice_dims={1}", "collapsed_slice_dims={0}", "collapsed_slice_dims and operand_batching_dims share dimension 0; got"},
    {"gather_c7", "gather", "collapsed_slice_dims={1}", "collapsed_slice_dims={2,1}", "collapsed_slice_dims: not in ascending order; got {2,1}"},
    {"gather_c8", "gather", "collapsed_slice_dims={1}", "collapsed_slice_dims={4}", "collapsed_slice_dims 4 out of range for f32[2,5,6,7] of rank 4"},
    {"gather_c9", "gather", "slice_sizes={1,1,6,4}", "slice_sizes={1,2,6,4}", "slice_sizes: 2 at dimension 1, which is collapsed or batching; wanted"},
    {"gather_c10", "gather", "operand_batching_dims={0}", "operand_batching_dims={2,0}", "operand_batching_dims: not in ascending order; got {2,0}"},
    {"gather_c11", "gather", "operand_batching_dims={0}", "operand_batching_dims={4}", "operand_batching_dims 4 out of range for f32[2,5,6,7] of rank 4"},
    {"gather_c12", "gather", "slice_sizes={1,1,6,4}", "slice_sizes={2,1,6,4}", "slice_sizes: 2 at dimension 0, which is collapsed or batching; wanted"},
    {"gather_c13", "gather", "start_indices_batching_dims={1}", "start_indices_batching_dims={1,1}", "start_indices_batching_dims 1 appears twice in [1,1]"},
    {"gather_c14", "gather", "start_indices_batching_dims={1}", "start_indices_batching_dims={3}", "start_indices_batching_dims 3 out of range for s32[3,2,2] of rank 3"},
    {"gather_c15", "gather", "start_indices_batching_dims={1}", "start_indices_batching_dims={2}", "start_indices_batching_dims: got {2}, which has index_vector_dim 2"},
    {"gather_c16", "gather", "start_indices_batching_dims={1}", "start_indices_batching_dims={0,1}", "operand_batching_dims and start_indices_batching_dims differ in"},
    {"gather_c17", "gather", "x = f32[2,5,6,7]", "x = f32[3,5,6,7]", "batching dimensions differ; array f32[3,5,6,7] dim 0 = 3, indices"},
    {"gather_c18", "gather", "start_index_map={1,3}", "start_index_map={1,1}", "start_index_map 1 appears twice in [1,1]"},
    {"gather_c19", "gather", "start_index_map={1,3}", "start_index_map={1,4}", "start_index_map 4 out of range for f32[2,5,6,7] of rank 4"},
    {"gather_c20", "gather", "slice_sizes={1,1,6,4}", "slice_sizes={1,1,6,4,1}", "slice_sizes: got {1,1,6,4,1}, wanted one size per dimension of"},
    {"gather_c21", "gather", "slice_sizes={1,1,6,4}", "slice_sizes={1,1,6,8}", "slice_sizes: 8 at dimension 3 is out of range; got {1,1,6,8}, wanted"},
    {"gather_c22", "gather", "r = f32[3,2,6,4]", "r = f32[3,2,6,5]", "declared shape is f32[3,2,6,5]; the operands imply f32[3,2,6,4]"},
    {"gather_c23", "gather", "r = f32[3,2,6,4]", "r = f64[3,2,6,4]", "declared shape is f64[3,2,6,4]; the operands imply f32[3,2,6,4]"},
    {"scatter_c1", "scatters", "y = f32[5]", "y = f32[6]", "arrays differ in shape; array 0 is f32[5], array 1 is f32[6]"},
    {"scatter_c2", "scatter", "inserted_window_dims={1}", "inserted_window_dims={}", "update_window_dims, inserted_window_dims and input_batching_dims have"},
    {"scatter_c3", "scatters", "v = f32[3]", "v = f32[4]", "updates differ in shape; update 0 is f32[3], update 1 is f32[4]"},
    {"scatter_c4", "scatter", "u = f32[3,2,6,4]", "u = f32[3,2,6,8]", "window is larger than the array; update f32[3,2,6,8] dim 3 = 8, array"},
    {"scatter_c4", "scatter", "u = f32[3,2,6,4]", "u = f32[4,2,6,4]", "update f32[4,2,6,4] has scatter dimensions {4,2}; the indices"},
    {"scatter_c5", "scatter", "u = f32[3,2,6,4]", "u = f64[3,2,6,4]", "element types differ; array 0 is f32[2,5,6,7], its update is"},
    {"scatter_c6", "scatters", "v = f32[3]", "v = f64[3]", "element types differ; array 1 is f32[5], its update is f64[3]"},
    {"scatter_c7", "scatter", "update_window_dims={2,3}", "update_window_dims={3,2}", "update_window_dims: not in ascending order; got {3,2}"},
    {"scatter_c8", "scatter", "update_window_dims={2,3}", "update_window_dims={2,4}", "update_window_dims 4 out of range for f32[3,2,6,4] of rank 4"},
    {"scatter_c9", "scatter", "inserted_window_dims={1}", "inserted_window_dims={0}", "inserted_window_dims and input_batching_dims share dimension 0; got"},
    {"scatter_c10", "scatter", "inserted_window_dims={1}", "inserted_window_dims={2,1}", "inserted_window_dims: not in ascending order; got {2,1}"},
    {"scatter_c11", "scatter", "inserted_window_dims={1}", "inserted_window_dims={4}", "inserted_window_dims 4 out of range for f32[2,5,6,7] of rank 4"},
    {"scatter_c12", "scatter", "input_batching_dims={0}", "input_batching_dims={2,0}", "input_batching_dims: not in ascending order; got {2,0}"},
    {"scatter_c13", "scatter", "input_batching_dims={0}", "input_batching_dims={4}", "input_batching_dims 4 out of range for f32[2,5,6,7] of rank 4"},
    {"scatter_c14", "scatter", "scatter_indices_batching_dims={1}", "scatter_indices_batching_dims={1,1}", "scatter_indices_batching_dims 1 appears twice in [1,1]"},
    {"scatter_c15", "scatter", "scatter_indices_batching_dims={1}", "scatter_indices_batching_dims={3}", "scatter_indices_batching_dims 3 out of range for s32[3,2,2] of rank 3"},
    {"scatter_c16", "scatter", "scatter_indices_batching_dims={1}", "scatter_indices_batching_dims={2}", "scatter_indices_batching_dims: got {2}, which has index_vector_dim 2"},
    {"scatter_c17", "scatter", "scatter_indices_batching_dims={1}", "scatter_indices_batching_dims={0,1}", "input_batching_dims and scatter_indices_batching_dims differ in"},
    {"scatter_c18", "scatter", "x = f32[2,5,6,7]", "x = f32[3,5,6,7]", "batching dimensions differ; array f32[3,5,6,7] dim 0 = 3, indices"},
    {"scatter_c19", "scatter", "scatter_dims_to_operand_dims={1,3}", "scatter_dims_to_operand_dims={1}", "scatter_dims_to_operand_dims: got {1}, 1 dimensions; an index vector"},
    {"scatter_c20", "scatter", "scatter_dims_to_operand_dims={1,3}", "scatter_dims_to_operand_dims={1,1}", "scatter_dims_to_operand_dims 1 appears twice in [1,1]"},
    {"scatter_c21", "scatter", "scatter_dims_to_operand_dims={1,3}", "scatter_dims_to_operand_dims={1,4}", "scatter_dims_to_operand_dims 4 out of range for f32[2,5,6,7] of rank 4"},
    {"scatter_c22", "scatter", "index_vector_dim=2", "index_vector_dim=4", "index_vector_dim: got 4, wanted 0 to 3, the rank of the indices"},
    {"scatter_c23", "scatter", "to_apply=add", "to_apply=ge", "to_apply 'ge': returns pred[], wanted f32[]"},
    {"scatter_c24", "scatter", "r = f32[2,5,6,7]", "r = f32[2,5,6,8]", "declared shape is f32[2,5,6,8]; the operands imply f32[2,5,6,7]"},
    {"scatter_c25", "scatter", "r = f32[2,5,6,7]", "r = f64[2,5,6,7]", "declared shape is f64[2,5,6,7]; the operands imply f32[2,5,6,7]"},
    {"cholesky_c1", "cholesky", "r = f32[2,3,3]", "r = f64[2,3,3]", "declared shape is f64[2,3,3]; the operands imply f32[2,3,3]"},
    {"cholesky_c2", "cholesky", "x = f32[2,3,3]", "x = f32[9]", "operand 0 is f32[9]; wanted at least 2 dimensions"},
    {"cholesky_c3", "cholesky", "x = f32[2,3,3]", "x = f32[2,3,4]", "operand 0 is f32[2,3,4]; wanted square matrices in the last two"},
    {"triangular_solve_c1", "triangular_solve", "b = f32[2,3,4]", "b = f64[2,3,4]", "operands are f32[2,3,3] and f64[2,3,4]; wanted one element type"},
    {"triangular_solve_c2", "triangular_solve", "b = f32[2,3,4]", "b = f32[3,4]", "operands are f32[2,3,3] and f32[3,4]; wanted as many dimensions"},
    {"triangular_solve_c3", "triangular_solve", "b = f32[2,3,4]", "b = f32[3,3,4]", "operands are f32[2,3,3] and f32[3,3,4]; they differ in batch"},
    {"triangular_solve_c3", "triangular_solve", "b = f32[2,3,4]", "b = f32[2,4,4]", "operands are f32[2,3,3] and f32[2,4,4]; wanted 3 in dimension 1 of"},
    {"triangular_solve_c4", "triangular_solve", "r = f32[2,3,4]", "r = f32[2,3,5]", "declared shape is f32[2,3,5]; the operands imply f32[2,3,4]"},
    {"rng_bit_generator_c1", "rng_bit_generator", "r = (u64[2], u32[4])", "r = (u64[3], u32[4])", "the result must be (u64[2], random bits); got (u64[3], u32[4])"},
    {"rng_bit_generator_c2", "rng_bit_generator", "x = u64[2]", "x = u64[3]", "the state of rng_three_fry must be u64[2]; got u64[3]"},
    {"reduce_c1", "reduces", "y = f32[4,3]", "y = f32[3,4]", "arrays differ in shape; operand 0 is f32[4,3], operand 1 is f32[3,4]"},
    {"reduce_c2", "reduce", "i = f32[]", "i = f64[]", "to_apply 'add': parameter 0 is f32[], wanted f64[]"},
    {"reduce_c3", "reduce", "reduce(x, i)", "reduce(x)", "got 1 operands, wanted n arrays and n initial values"},
    {"reduce_c4", "reduce", "dimensions={0}", "dimensions={2}", "dimensions 2 out of range for f32[4,3] of rank 2"},
    {"reduce_c5", "reduce", "dimensions={0}", "dimensions={0,0}", "dimensions 0 appears twice in [0,0]"},
    {"reduce_c6", "reduce", "to_apply=add", "to_apply=ge", "to_apply 'ge': returns pred[], wanted f32[]"},
    {"reduce_c7", "reduce", "r = f32[3]", "r = f32[4]", "declared shape is f32[4]; the operands imply f32[3]"},
    {"reduce_c8", "reduce", "r = f32[3]", "r = f64[3]", "declared shape is f64[3]; the operands imply f32[3]"},
    {"reduce_window_c1", "reduce_window", "reduce-window(x, i)", "reduce-window(x)", "got 1 operands, wanted n arrays and n initial values"},
    {"reduce_window_c2", "reduce_windows", "y = f32[4,3]", "y = f32[3,4]", "arrays differ in shape; operand 0 is f32[4,3], operand 1 is f32[3,4]"},
    {"reduce_window_c3", "reduce_window", "i = f32[]", "i = f64[]", "initial value 0 is f64[], wanted the scalar f32[]"},
    {"reduce_window_c4", "reduce_window", "window={size=2x2}", "window={size=2}", "window: got 1 dimensions, wanted 2"},
    {"reduce_window_c5", "reduce_window", "window={size=2x2}", "window={size=0x2}", "window: dim 0: size 0 < 1"},
    {"reduce_window_c6", "reduce_window", "window={size=2x2}", "window={size=2x2 stride=1}", "window: stride has 1 dimensions, others have 2"},
    {"reduce_window_c7", "reduce_window", "window={size=2x2}", "window={size=2x2 stride=0x1}", "window: dim 0: stride 0 < 1"},
    {"reduce_window_c8", "reduce_window", "window={size=2x2}", "window={size=2x2 lhs_dilate=1}", "window: lhs_dilate has 1 dimensions, others have 2"},
    {"reduce_window_c9", "reduce_window", "window={size=2x2}", "window={size=2x2 lhs_dilate=0x1}", "window: dim 0: base dilation 0 < 1"},
    {"reduce_window_c10", "reduce_window", "window={size=2x2}", "window={size=2x2 rhs_dilate=1}", "window: rhs_dilate has 1 dimensions, others have 2"},
    {"reduce_window_c11", "reduce_window", "window={size=2x2}", "window={size=2x2 rhs_dilate=0x1}", "window: dim 0: window dilation 0 < 1"},
    {"reduce_window_c12", "reduce_window", "window={size=2x2}", "window={size=2x2 pad=0_0}", "window: pad has 1 dimensions, others have 2"},
    {"reduce_window_c13", "reduce_window", "to_apply=add", "to_apply=ge", "to_apply 'ge': returns pred[], wanted f32[]"},
    {"reduce_window_c14", "reduce_windows", "r = (f32[3,2], f32[3,2])", "r = f32[3,2]", "declared shape is f32[3,2]; the operands imply (f32[3,2], f32[3,2])"},
    {"reduce_window_c15", "reduce_window", "r = f32[3,2]", "r = f32[3,3]", "declared shape is f32[3,3]; the operands imply f32[3,2]"},
    {"reduce_window_c16", "reduce_window", "r = f32[3,2]", "r = f64[3,2]", "declared shape is f64[3,2]; the operands imply f32[3,2]"},
    {"select_and_scatter_c1", "select_and_scatter", "s = f32[2,3]", "s = f64[2,3]", "element types differ; the operand is f32[4,6], the source f64[2,3]"},
    {"select_and_scatter_c2", "select_and_scatter", "s = f32[2,3]", "s = f32[2,4]", "the source must have one element per window; got f32[2,4], wanted {2,3}"},
    {"select_and_scatter_c3", "select_and_scatter", "i = f32[]", "i = f64[]", "the initial value is f64[], wanted f32[]"},
    {"select_and_scatter_c4", "select_and_scatter", "window={size=2x2 stride=2x2}", "window={size=2 stride=2}", "window: got 1 dimensions, wanted 2"},
    {"select_and_scatter_c5", "select_and_scatter", "size=2x2", "size=0x2", "window: dim 0: size 0 < 1"},
    {"select_and_scatter_c6", "select_and_scatter", "stride=2x2", "stride=2", "window: stride has 1 dimensions, others have 2"},
    {"select_and_scatter_c7", "select_and_scatter", "stride=2x2", "stride=0x2", "window: dim 0: stride 0 < 1"},
    {"select_and_scatter_c8", "select_and_scatter", "stride=2x2", "stride=2x2 pad=0_0", "window: pad has 1 dimensions, others have 2"},
    {"select_and_scatter_c9", "select_and_scatter", "select=ge", "select=add", "select 'add': returns f32[], wanted pred[]"},
    {"select_and_scatter_c10", "select_and_scatter", "scatter=add", "scatter=ge", "scatter 'ge': returns pred[], wanted f32[]"},
    {"select_and_scatter_c11", "select_and_scatter", "r = f32[4,6]", "r = f32[4,7]", "declared shape is f32[4,7]; the operands imply f32[4,6]"},
    {"select_and_scatter_c12", "select_and_scatter", "r = f32[4,6]", "r = f64[4,6]", "declared shape is f64[4,6]; the operands imply f32[4,6]"},
    {"reshape_c2", "reshape", "r = f32[12]", "r = f32[13]", "12 elements cannot become f32[13] (13 elements)"},
    {"broadcast_in_dim_c2", "broadcast_in_dim", "dimensions={1,2}", "dimensions={1}", "dimensions must have one result dimension per operand dimension; got [1]"},
    {"broadcast_in_dim_c3", "broadcast_in_dim", "dimensions={1,2}", "dimensions={1,3}", "dimensions 3 out of range for f32[2,3,4] of rank 3"},
    {"broadcast_in_dim_c4", "broadcast_in_dim", "dimensions={1,2}", "dimensions={1,1}", "dimensions 1 appears twice in [1,1]"},
    {"broadcast_in_dim_c5", "broadcast_in_dim", "x = f32[3,4]", "x = f32[3,5]", "operand f32[3,5] dimension 1 is 5, result f32[2,3,4] dimension 2 is 4"},
    {"transpose_c2", "transpose", "dimensions={1,0}", "dimensions={1,1}", "dimensions 1 appears twice in [1,1]"},
    {"transpose_c3", "transpose", "r = f32[4,3]", "r = f32[3,4]", "declared shape is f32[3,4]; the operands imply f32[4,3]"},
    {"reverse_c2", "reverse", "dimensions={1,0}", "dimensions={1,1}", "dimensions 1 appears twice in [1,1]"},
    {"reverse_c3", "reverse", "dimensions={1,0}", "dimensions={1,2}", "dimensions 2 out of range for f32[3,4] of rank 2"},
    {"bitcast_convert_c1", "bitcast_convert", "r = u8[3,4]", "r = u8[3,2]", "declared shape is u8[3,2]; the operands imply u8[3,4]"},
    {"bitcast_convert_c2", "bitcast_wider", "x = u8[3,4]", "x = u8[3,2]", "to make f32, the last dimension of u8[3,2] must be 4"},
    {"bitcast_convert_c3", "bitcast_convert", "r = u8[3,4]", "r = c64[3]", "complex numbers convert only to complex numbers; got f32[3] to c64[3]"},
    {"iota_c1", "iota", "iota_dimension=1", "iota_dimension=2", "iota_dimension 2 out of range for f32[3,4] of rank 2"},
    {"slice_c2", "slice", "slice={[1:7:2], [0:4]}", "slice={[1:7:2]}", "one range per dimension is needed; got 1 for f32[8,4]"},
    {"slice_c3", "slice", "[1:7:2]", "[-1:7:2]", "dim 0: start -1 < 0"},
    {"slice_c3", "slice", "[1:7:2]", "[1:9:2]", "dim 0: limit 9 > size 8"},
    {"slice_c3", "slice", "[1:7:2]", "[7:1:2]", "dim 0: start 7 > limit 1"},
    {"slice_c4", "slice", "[1:7:2]", "[1:7:0]", "dim 0: stride 0; must be at least 1"},
    {"slice_c5", "slice", "r = f32[3,4]", "r = f32[4,4]", "declared shape is f32[4,4]; the operands imply f32[3,4]"},
    {"dynamic_slice_c2", "dynamic_slice", "dynamic-slice(x, i, j)", "dynamic-slice(x, i)", "one start index per dimension of f32[8,4] is needed; got 1"},
    {"dynamic_slice_c3", "dynamic_slice", "j = s32[]", "j = s64[]", "start indices must share one type; got s32[] and s64[]"},
    {"dynamic_slice_c4", "dynamic_slice", "dynamic_slice_sizes={3,4}", "dynamic_slice_sizes={9,4}", "dim 0: slice size 9 doesn't fit size 8"},
    {"dynamic_slice_c5", "dynamic_slice", "r = f32[3,4]", "r = f32[4,4]", "declared shape is f32[4,4]; the operands imply f32[3,4]"},
    {"dynamic_update_slice_c2", "dynamic_update_slice", "u = f32[3,4]", "u = f64[3,4]", "operand element types differ; got f32[8,4] and f64[3,4]"},
    {"dynamic_update_slice_c3", "dynamic_update_slice", "u = f32[3,4]", "u = f32[3]", "array and update must have equal ranks; got f32[8,4] and f32[3]"},
    {"dynamic_update_slice_c4", "dynamic_update_slice", "dynamic-update-slice(x, u, i, j)", "dynamic-update-slice(x, u, i)", "one start index per dimension of f32[8,4] is needed; got 1"},
    {"dynamic_update_slice_c5", "dynamic_update_slice", "j = s32[]", "j = s64[]", "start indices must share one type; got s32[] and s64[]"},
    {"dynamic_update_slice_c6", "dynamic_update_slice", "u = f32[3,4]", "u = f32[9,4]", "dim 0: update size 9 doesn't fit size 8"},
    {"concatenate_c1", "concatenate", "y = f32[3,4]", "y = f64[3,4]", "operand element types differ; operand 0 is f32[2,4], operand 1 is"},
    {"concatenate_c2", "concatenate", "y = f32[3,4]", "y = f32[3,5]", "operands 0 and 1 differ outside dimension 0; got f32[2,4] and f32[3,5]"},
    {"concatenate_c3", "concatenate", "concatenate(x, y)", "concatenate()", "got 0 operands, wanted at least one"},
    {"concatenate_c4", "concatenate", "dimensions={0}", "dimensions={2}", "dimension 2 out of range for f32[2,4] of rank 2"},
    {"concatenate_c6", "concatenate", "r = f32[5,4]", "r = f32[6,4]", "declared shape is f32[6,4]; the operands imply f32[5,4]"},
    {"pad_c1", "pad", "v = f32[]", "v = f64[]", "the padding value must be a f32 scalar; got f64[]"},
    {"pad_c2", "pad", "padding=1_0_1x0_0", "padding=1_0_1", "one padding per dimension is needed; got 1 for f32[4,3]"},
    {"pad_c3", "pad", "padding=1_0_1x0_0", "padding=1_0_-1x0_0", "dim 0: interior padding -1 < 0"},
    {"pad_c4", "pad", "r = f32[8,3]", "r = f32[9,3]", "declared shape is f32[9,3]; the operands imply f32[8,3]"},
    {"sort_c1", "sort", "sort(x, y)", "sort()", "got no operands, wanted at least one"},
    {"sort_c2", "sort", "r = (f32[4,3], s32[4,3])", "r = (f32[4,3], f32[4,3])", "declared shape is (f32[4,3], f32[4,3]); the operands imply (f32[4,3],"},
    {"sort_c3", "sort", "y = s32[4,3]", "y = s32[3,4]", "operands differ in shape; operand 0 is f32[4,3], operand 1 is s32[3,4]"},
    {"sort_c4", "sort", "dimensions={0}", "dimensions={2}", "dimensions 2 out of range for f32[4,3] of rank 2"},
    {"sort_c5", "sort", "to_apply=before", "to_apply=add", "to_apply 'add': takes 2 parameters, wanted 4: f32[], f32[], s32[],"},
    {"infeed_c1 infeed_c2", "infeed", "r = (f32[4], token[])", "r = (f32[4], f32[])", "the result is (f32[4], f32[]), wanted (fed values, token[])"},
};
// clang-format on

std::string body_of(const std::string& name) {
  for (const Right& right : kRight) {
    if (right.name == name) return right.body;
  }
  return "";
}

class Constraint : public testing::TestWithParam<Broken> {};

TEST_P(Constraint, BrokenAloneIsRefusedAndSaysSo) {
  const std::string right = body_of(GetParam().right);
  ASSERT_TRUE(module_of_text(right, kComputations).ok()) << module_of_text(right, kComputations).status().to_string();
  std::string broken = right;
  const size_t at = broken.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << right;
  broken.replace(at, std::string_view(GetParam().from).size(), GetParam().to);
  expect_refused(broken, GetParam().message, kComputations);
}

/// "slice_c3", or "slice_c3_2" for the second case that breaks it.
std::string test_name(const testing::TestParamInfo<Broken>& info) {
  std::string name = std::regex_replace(info.param.constraints, std::regex(" "), "_and_");
  size_t before = 0;
  for (size_t k = 0; k < info.index; ++k) before += std::string_view(kBroken[k].constraints) == info.param.constraints;
  return before == 0 ? name : name + "_" + std::to_string(before + 1);
}

INSTANTIATE_TEST_SUITE_P(Spec, Constraint, testing::ValuesIn(kBroken), test_name);

/// The ids in the comments of a source file: "slice_c3", "scatter_c1, c3" and "reduce_window_c4..c12".
void collect_constraints(const std::string& source, std::set<std::string>& ids) {
  static const std::regex kNamed(R"(([a-z][a-z0-9_]*[a-z0-9])_c(\d+)((?:(?:\.\.|,? )c\d+)*))"),
      kMore(R"((\.\.|,? )c(\d+))");
  static const std::regex kComment("//[^\n]*");
  for (std::sregex_iterator comment(source.begin(), source.end(), kComment), end; comment != end; ++comment) {
    const std::string text = comment->str();
    for (std::sregex_iterator named(text.begin(), text.end(), kNamed); named != end; ++named) {
      const std::string op = (*named)[1], more = (*named)[3];
      int last = std::stoi((*named)[2]);
      ids.insert(op + "_c" + std::to_string(last));
      for (std::sregex_iterator next(more.begin(), more.end(), kMore); next != end; ++next) {
        const int to = std::stoi((*next)[2]);
        for (int k = (*next)[1] == ".." ? last + 1 : to; k <= to; ++k) ids.insert(op + "_c" + std::to_string(k));
        last = to;
      }
    }
  }
}

TEST(Constraints, ThatTheCodeNamesAreAllBrokenHere) {
  std::set<std::string> named, broken;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(tests::kSourceDir) + "/src")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    const StatusOr<std::string> source = read_file(entry.path().string());
    ASSERT_TRUE(source.ok()) << source.status().to_string();
    collect_constraints(*source, named);
  }
  for (const Broken& row : kBroken) {
    std::istringstream ids(row.constraints);
    for (std::string id; ids >> id;) broken.insert(id);
  }
  for (const std::string& id : named) EXPECT_TRUE(broken.contains(id)) << id;
  EXPECT_GE(named.size(), 230u);
}

}  // namespace
}  // namespace hilo::hlo
