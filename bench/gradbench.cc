// SPDX-License-Identifier: Apache-2.0
// bench/gradbench.cc -- hilo as a tool of GradBench: answers its messages, a line each, until the input ends. As
// `gradbench run --eval ... --tool build/bin/bench/gradbench`, or with bench/gradbench/drive.py.
// Source    github.com/gradbench/gradbench, CONTRIBUTING.md: the protocol
#include <iostream>

#include "bench/gradbench/evals.h"
#include "bench/timing.h"
#include "hilo/base/json.h"

namespace gradbench {
namespace {

std::string timing(const char* name, double microseconds) {
  return std::string("{\"name\":\"") + name + "\",\"nanoseconds\":" + std::to_string(std::llround(1e3 * microseconds)) +
         "}";
}

/// The output and the times of at least min_runs runs that take at least min_seconds.
std::string evaluated(const Json& message) {
  const Json& input = message.at("input");
  const auto limit = [&](const char* name) { return input.fields.count(name) > 0 ? input.at(name).number() : 0.0; };
  const Prepared f = function_of(message.at("module").string(), message.at("function").string())(input);
  const bench::Clock::time_point compiling = bench::Clock::now();
  std::vector<Array> results = f.run();
  std::string timings = timing("compile", bench::microseconds_since(compiling));
  double runs = 0, total = 0;
  while (runs < std::fmax(1, limit("min_runs")) || total < 1e6 * limit("min_seconds")) {
    const bench::Clock::time_point start = bench::Clock::now();
    results = f.run();
    const double one = bench::microseconds_since(start);
    timings += "," + timing("evaluate", one);
    total += one;
    ++runs;
  }
  return "\"success\":true,\"output\":" + f.text(results) + ",\"timings\":[" + timings + "]";
}

std::string answer(const Json& message) {
  const std::string& kind = message.at("kind").string();
  if (kind == "start") return "\"tool\":\"hilo\"";
  if (kind == "define")
    return evals().count(message.at("module").string()) > 0 ? "\"success\":true" : "\"success\":false";
  if (kind != "evaluate") return "";
  try {
    return evaluated(message);
  } catch (const std::exception& error) {
    return "\"success\":false,\"error\":" + hilo::json_string(error.what());
  }
}

}  // namespace
}  // namespace gradbench

int main() try {
  hilo::config().update("jax_enable_x64", true);
  for (std::string line; std::getline(std::cin, line);) {
    const gradbench::Json message = gradbench::read_json(line);
    const std::string id = gradbench::json_number(message.at("id").number()), rest = gradbench::answer(message);
    std::cout << "{\"id\":" << id << (rest.empty() ? "" : ",") << rest << "}" << std::endl;
  }
  return 0;
} catch (const std::exception& error) {  // a message that can't be answered: without an id, or no JSON
  std::cerr << "gradbench: " << error.what() << std::endl;
  return 1;
}
