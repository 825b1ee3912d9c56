// SPDX-License-Identifier: Apache-2.0
// Loaded programs that name functions, rules and tables of this process. They reach none of these, in any program
// format.
#include <gtest/gtest.h>

#include "hilo/base/random_key.h"
#include "hilo/client/platforms.h"
#include "hilo/device/buffer.h"
#include "hilo/device/client.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/import/program.h"
#include "hilo/numpy/numpy.h"
#include "hilo/stablehlo/write/write_tree.h"
#include "hilo/transform/callback.h"
#include "hilo/transform/checkify.h"
#include "hilo/transform/jit.h"

namespace hilo {
namespace {

/// The program in every file format.
std::vector<std::string> forms_of(const hlo::Module& module) {
  return {hlo::print_module(module), *hlo::to_proto(module), *stablehlo::write_text(module),
          *stablehlo::write_bytecode(module)};
}

Status run(const hlo::Module& module, const std::string& engine, std::vector<Literal> arguments = {}) {
  HILO_ASSIGN_OR_RETURN(const ClientPtr client, make_platform_client(engine, {}));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, client->compile(module, {}, nullptr));
  std::vector<BufferPtr> in, out(executable->result_shapes().size());
  for (const Literal& a : arguments) {
    HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(*client->devices()[0], a, a.shape()));
    in.push_back(std::move(buffer));
  }
  return executable->execute(in, out, {});
}

/// A program that calls `target` on f32[] and f32[3]; `config` is its configuration dictionary.
std::string call_of(const std::string& target, const std::string& config, const std::string& result = "u8[]") {
  return "HloModule m\nENTRY e {\n  c = f32[] constant(666)\n  d = f32[3] constant({1, 2, 3})\n  ROOT r = " + result +
         " custom-call(c, d), custom_call_target=\"" + target +
         "\", custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, backend_config={" + config +
         "}\n}\n";
}

int effects = 0;

/// A function whose callback has an effect, traced and run.
auto victim() {
  return jit([](Array x, Array y) {
    debug::callback([](Array, Array) { ++effects; }, x, y);
    const Array z = pure_callback([](Array a) { return a; }, ShapeDtypeStruct({3}, ElementType::kF32), y);
    return x + z;
  });
}

class ForgedReferences : public ::testing::Test {
 protected:
  void SetUp() override {
    victim()(Array(1.0f), numpy::zeros({3})).to_literal();
    effects = 0;
  }
};

TEST_F(ForgedReferences, OfCallbacksReachNone) {
  std::vector<std::string> configs = {"key = \"" + random_key() + "\"", "key = \"\"", "", "key = \"0\""};
  for (const char* name : {"number", "callback", "index", "descriptor", "key", "id"}) {
    for (const char* value : {"0 : i64", "1 : i64", "-1 : i64", "0 : i32", "94026318454784 : i64", "\"0\"", "\"1\""})
      configs.push_back(std::string(name) + " = " + value);
  }
  for (const std::string& config : configs) {
    const StatusOr<hlo::Module> module = parse_program(call_of("hilo.callback", config), "forged");
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    for (const std::string& bytes : forms_of(*module)) {
      const StatusOr<hlo::Module> read = parse_program(bytes, "forged");
      ASSERT_TRUE(read.ok()) << config << read.status().to_string();
      for (const char* engine : {"Host", "Reference"}) {
        const Status status = run(*read, engine);
        EXPECT_FALSE(status.ok()) << config;
        EXPECT_EQ(effects, 0) << config;
      }
    }
  }
}

std::string traced_text() { return victim().lower(Array(1.0f), numpy::zeros({3})).as_text("hlo"); }

/// The configuration of a callback's call with its key, as in a program of this process.
std::string traced_config() {
  const auto f = jit([](Array x, Array y) {
    debug::callback([](Array, Array) { ++effects; }, x, y);
    return x;
  });
  const std::string text = f.lower(Array(1.0f), numpy::zeros({3})).as_text("hlo");
  const size_t at = text.find("key = \"");
  return at == std::string::npos ? text : text.substr(at, text.find('"', at + 7) + 1 - at);
}

TEST_F(ForgedReferences, ATracedProgramRunsInItsProcessInEveryForm) {
  const StatusOr<hlo::Module> traced = parse_program(traced_text(), "traced");
  ASSERT_TRUE(traced.ok()) << traced.status().to_string();
  const std::vector<Literal> arguments = {Array(1.0f).to_literal(), numpy::zeros({3}).to_literal()};
  int runs = 0;
  for (const std::string& bytes : forms_of(*traced)) {
    const StatusOr<hlo::Module> read = parse_program(bytes, "traced");
    ASSERT_TRUE(read.ok()) << read.status().to_string();
    for (const char* engine : {"Host", "Reference"}) {
      const Status status = run(*read, engine, arguments);
      EXPECT_TRUE(status.ok()) << status.to_string();
      EXPECT_EQ(effects, ++runs);
    }
  }
}

TEST_F(ForgedReferences, AKeyIsGoodForTheArraysThatItWasMadeFor) {
  const std::string config = traced_config();
  ASSERT_EQ(config.size(), std::string("key = \"\"").size() + 32) << config;
  const Status fits = run(*parse_program(call_of("hilo.callback", config), "traced"), "Host");
  EXPECT_TRUE(fits.ok()) << fits.to_string();
  EXPECT_EQ(effects, 1);
  for (const char* change : {"f32[3] constant({1, 2, 3})|f32[2] constant({1, 2})", "f32[] constant|s32[] constant",
                             "custom-call(c, d)|custom-call(c)", "custom-call(c, d)|custom-call(c, d, d)",
                             "custom-call(c, d)|custom-call(d, c)", "ROOT r = u8[]|ROOT r = u8[4096]",
                             "ROOT r = u8[]|ROOT r = (u8[], f32[3])"}) {
    std::string changed = call_of("hilo.callback", config);
    const std::string from(change, std::string(change).find('|')), to(std::string(change).substr(from.size() + 1));
    changed.replace(changed.find(from), from.size(), to);
    for (const char* engine : {"Host", "Reference"}) {
      const Status status = run(*parse_program(changed, "changed"), engine);
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << changed << status.to_string();
      EXPECT_NE(status.message().find("callback: the program's"), std::string::npos) << status.to_string();
    }
  }
  EXPECT_EQ(effects, 1);
}

TEST_F(ForgedReferences, KeysDifferAndStayTheSameForOneFunction) {
  const auto key_in = [](const std::string& text) { return text.substr(text.find("key = \"") + 7, 32); };
  const auto f = jit([](Array x) {
    checkify::check(x > 0.0f, "positive");
    return x;
  });
  const std::string first = key_in(f.lower(Array(1.0f)).as_text("hlo"));
  EXPECT_EQ(first, key_in(jit([](Array x) {
                            checkify::check(x > 0.0f, "positive");
                            return x + 1.0f;
                          })
                              .lower(Array(1.0f))
                              .as_text("hlo")));  // A check depends on its message.
  EXPECT_NE(traced_config(), traced_config());    // Each of two functions has its own key.
}

/// A program that contains the id of a user's rules gets no result of these rules.
TEST_F(ForgedReferences, OfRulesAreOtherPrograms) {
  const hlo::OpDef& def = hlo::op_def(hlo::kExtCustomRules);
  auto mine = std::make_shared<hlo::CustomRulesAttributes>();
  mine->rules = "custom_jvp";
  mine->id = 3;
  auto forged = std::make_shared<hlo::CustomRulesAttributes>(*mine);
  mine->user = std::make_shared<int>(0);
  EXPECT_FALSE(hlo::fields_equal(def.attributes.fields, *mine, *forged));
  EXPECT_NE(hlo::fields_hash(def.attributes.fields, *mine), hlo::fields_hash(def.attributes.fields, *forged));
  mine->user = nullptr;
  EXPECT_TRUE(hlo::fields_equal(def.attributes.fields, *mine, *forged));
}

TEST_F(ForgedReferences, OfPythonsFunctionsAndPointersAreRefused) {
  for (const char* target :
       {"xla_python_cpu_callback", "xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback",
        "xla_python_gpu_callback", "CustomSPMDPartitioning", "hilo.host_function", "nobody"}) {
    for (const char* config :
         {"descriptor = 94026318454784 : i64", "index = 0 : ui64", "index = 94026318454784 : ui64"}) {
      const Status status = run(*parse_program(call_of(target, config), "forged"), "Host");
      EXPECT_TRUE(status.code() == StatusCode::kUnimplemented || status.code() == StatusCode::kNotFound)
          << target << status.to_string();
    }
  }
}

}  // namespace
}  // namespace hilo
