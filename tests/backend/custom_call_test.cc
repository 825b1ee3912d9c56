// SPDX-License-Identifier: Apache-2.0
// Handlers in C, on both engines.
#include "hilo/backend/custom_call.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

HiloFfi_Error* fail(HiloFfi_CallFrame* frame, const char* message, HiloFfi_ErrorCode code) {
  HiloFfi_ErrorCreateArgs args{sizeof(args), nullptr, message, code};
  return frame->api->error_create(&args);
}

/// y = x + shift[0], through scratch memory of the engine. Rejects other types.
HiloFfi_Error* shift(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame)) return nullptr;
  const auto* x = static_cast<const HiloFfi_Buffer*>(frame->args.args[0]);
  const auto* y = static_cast<const HiloFfi_Buffer*>(frame->rets.rets[0]);
  if (x->type != HILO_FFI_F32) return fail(frame, "wanted f32", HILO_FFI_INVALID_ARGUMENT);
  if (frame->attrs.size != 1 || frame->attrs.types[0] != HILO_FFI_ATTR_ARRAY)
    return fail(frame, "wanted shift", HILO_FFI_INVALID_ARGUMENT);
  const auto* by = static_cast<const HiloFfi_Array*>(frame->attrs.attrs[0]);
  int64_t count = 1;
  for (int64_t d = 0; d < x->rank; ++d) count *= x->dims[d];
  HiloFfi_MemoryArgs memory{sizeof(memory), nullptr, frame->ctx, static_cast<size_t>(count) * sizeof(float), 64,
                            nullptr};
  if (HiloFfi_Error* error = frame->api->memory_allocate(&memory)) return error;
  auto* between = static_cast<float*>(memory.data);
  for (int64_t i = 0; i < count; ++i)
    between[i] = static_cast<const float*>(x->data)[i] + static_cast<const float*>(by->data)[0];
  std::memcpy(y->data, between, memory.size);
  return nullptr;
}

HiloFfi_Error* silent(HiloFfi_CallFrame*) { return nullptr; }

std::string program(const std::string& type) {
  return "HloModule m\n\nENTRY %main (x: " + type + "[2,2]) -> " + type + "[2,2] {\n  %x = " + type +
         "[2,2]{1,0} parameter(0)\n  %c = " + type +
         "[2,2]{1,0} custom-call(%x), custom_call_target=\"test.shift\", api_version=API_VERSION_TYPED_FFI, "
         "backend_config={by = array<f32: 0.5>}\n  ROOT %twice = " +
         type + "[2,2]{1,0} add(%c, %c)\n}\n";
}

void ensure_shift() {
  if (find_custom_call("test.shift").ok()) return;
  ASSERT_EQ(hilo_ffi_register("test.shift", shift), nullptr);
}

TEST(FfiHandler, RunsOnBothEngines) {
  ensure_shift();
  const StatusOr<hlo::Module> m = hlo::parse_module(program("f32"));
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  const Literal x = Literal::array<float>({2, 2}, {1, 2, 3, 4}), wanted = Literal::array<float>({2, 2}, {3, 5, 7, 9});
  const StatusOr<Literal> slow = hlo::evaluate(*m, {x});
  ASSERT_TRUE(slow.ok()) << slow.status().to_string();
  EXPECT_TRUE(slow->identical(wanted));
  auto executable = tests::cpu_client()->compile(*m, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  EXPECT_TRUE(cpu::run(**executable, {x})[0].identical(wanted));
}

TEST(FfiHandler, ItsErrorsReachTheCaller) {
  ensure_shift();
  const StatusOr<hlo::Module> m = hlo::parse_module(program("s32"));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(hlo::evaluate(*m, {Literal::array<int32_t>({2, 2}, {1, 2, 3, 4})}).status().to_string(),
            "INVALID_ARGUMENT: custom-call 'c': wanted f32");
}

TEST(FfiHandler, TheEngineRefusesUnknownTargetsWhenItCompiles) {
  const StatusOr<hlo::Module> m = hlo::parse_module(
      "HloModule m\n\nENTRY %main () -> f32[] {\n  ROOT %c = f32[] custom-call(), custom_call_target=\"nobody\"\n}\n");
  ASSERT_TRUE(m.ok());
  const auto executable = tests::cpu_client()->compile(*m, {}, nullptr);
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().code(), StatusCode::kNotFound) << executable.status().to_string();
}

TEST(FfiHandler, OneThatDoesNotAnswerForItsVersionIsRefused) {
  HiloFfi_Error* const error = hilo_ffi_register("test.silent", silent);
  ASSERT_NE(error, nullptr);
  HiloFfi_ErrorGetDetailsArgs details{sizeof(details), nullptr, error, nullptr, 0};
  hilo_ffi_api()->error_get_details(&details);
  EXPECT_EQ(
      std::string(details.message),
      "custom call 'test.silent': built for version -1.-1 of the FFI; wanted 0.x. Hint: hilo_ffi_answer_metadata");
  EXPECT_EQ(details.code, HILO_FFI_FAILED_PRECONDITION);
  details = {offsetof(HiloFfi_ErrorGetDetailsArgs, code), nullptr, error, nullptr, 0};  // the struct of version 0.3
  hilo_ffi_api()->error_get_details(&details);
  EXPECT_EQ(details.code, 0);
  HiloFfi_ErrorDestroyArgs destroy{sizeof(destroy), nullptr, error};
  hilo_ffi_api()->error_destroy(&destroy);
  EXPECT_EQ(register_ffi_handler("test.null", nullptr).code(), StatusCode::kInvalidArgument);
}

/// Built for version 0.9: uses a function of version 0.5, and then one that only version 0.9 has.
HiloFfi_Error* of_tomorrow(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame) != 0) {
    reinterpret_cast<HiloFfi_MetadataExtension*>(frame->extensions)->metadata->api_version.minor_version = 9;
    return nullptr;
  }
  HiloFfi_FindExtensionArgs find{sizeof(find), nullptr, frame->ctx, 7, frame};
  HiloFfi_CustomOptionsArgs options{sizeof(options), nullptr, frame->ctx, nullptr};
  if (HiloFfi_Error* const error = frame->api->find_extension(&find)) return error;
  if (HiloFfi_Error* const error = frame->api->custom_options_get(&options)) return error;
  if (find.extension != nullptr || options.attrs->size != 0) return nullptr;
  using Function = HiloFfi_Error*(HiloFfi_AnyArgs*);
  HiloFfi_AnyArgs any{sizeof(any), nullptr};
  return reinterpret_cast<Function* const*>(frame->api + 1)[2](&any);
}

TEST(FfiHandler, OneOfANewerVersionRunsAndGetsAnErrorForWhatIsNewer) {
  ASSERT_EQ(hilo_ffi_register("test.of_tomorrow", of_tomorrow), nullptr);
  const StatusOr<hlo::Module> m = hlo::parse_module(
      "HloModule m\n\nENTRY %main () -> f32[] {\n  ROOT %c = f32[] custom-call(), "
      "custom_call_target=\"test.of_tomorrow\", api_version=API_VERSION_TYPED_FFI\n}\n");
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(
      hlo::evaluate(*m, {}).status().to_string(),
      "UNIMPLEMENTED: custom-call 'c': this function of the FFI is not implemented on platform Host in this version");
}

}  // namespace
}  // namespace hilo
