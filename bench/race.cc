// SPDX-License-Identifier: Apache-2.0
// bench/race.cc -- hilo's side of tools/race.py: runs one program at a time, as lines on stdin ask, each answered by
// one.
//   load PROGRAM INPUTS...    compiles it; "ok<TAB>microseconds"
//   time MILLISECONDS         calls for about so long; "ok<TAB>microseconds of a call: fastest<TAB>processor
//   time<TAB>calls"
//   results FOLDER            what the last call gave, as FOLDER/outN.npy; "ok<TAB>number of results" What fails is
//   "error<TAB>why".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "hilo/client/local_computation.h"
#include "hilo/import/program.h"
#include "hilo/io/npy.h"

using namespace hilo;

namespace {

struct Racer {
  std::shared_ptr<Executable> program;
  std::vector<BufferPtr> arguments, results;
};

/// Of all threads, in microseconds.
double processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

Status call(Racer& racer) { return racer.program->execute(racer.arguments, racer.results, {}); }

StatusOr<std::string> load(Racer& racer, std::istringstream& words) {
  racer = {};
  std::string path;
  words >> path;
  HILO_ASSIGN_OR_RETURN(hlo::Module module, read_program(path, ""));
  const bench::Clock::time_point begin = bench::Clock::now();
  HILO_ASSIGN_OR_RETURN(const LocalComputation computation, compile_under_flags(std::move(module)));
  const double compiled = bench::microseconds_since(begin);
  racer.program = computation.executable();
  while (words >> path) {
    HILO_ASSIGN_OR_RETURN(const Literal literal, io::read_npy(path));
    HILO_ASSIGN_OR_RETURN(BufferPtr buffer,
                          buffer_from_literal(*racer.program->devices()[0], literal, literal.shape()));
    racer.arguments.push_back(std::move(buffer));
  }
  racer.results.resize(racer.program->result_shapes().size());
  HILO_RETURN_IF_ERROR(call(racer));
  return fmt::format("{:.1f}", compiled);
}

StatusOr<std::string> time(Racer& racer, std::istringstream& words) {
  double milliseconds = 0;
  words >> milliseconds;
  HILO_RETURN_IF_ERROR(call(racer));  // another process ran meanwhile
  int calls = 0;
  double fastest = 1e30;
  const bench::Clock::time_point begin = bench::Clock::now();
  const double worked = processor_time();
  while (calls == 0 || bench::microseconds_since(begin) < 1e3 * milliseconds) {
    const bench::Clock::time_point start = bench::Clock::now();
    HILO_RETURN_IF_ERROR(call(racer));
    fastest = std::min(fastest, bench::microseconds_since(start));
    ++calls;
  }
  return fmt::format("{:.3f}\t{:.3f}\t{}", fastest, (processor_time() - worked) / calls, calls);
}

StatusOr<std::string> results(Racer& racer, std::istringstream& words) {
  std::string folder;
  words >> folder;
  for (size_t i = 0; i < racer.results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Literal literal, literal_from_buffer(*racer.results[i]));
    HILO_RETURN_IF_ERROR(io::write_npy(fmt::format("{}/out{}.npy", folder, i), literal));
  }
  return fmt::format("{}", racer.results.size());
}

StatusOr<std::string> answer(Racer& racer, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "load") return load(racer, words);
  if (racer.program == nullptr) return failed_precondition("no program is loaded");
  if (verb == "time") return time(racer, words);
  if (verb == "results") return results(racer, words);
  return invalid_argument(fmt::format("got '{}'; wanted load, time or results", verb));
}

}  // namespace

int main() {
  Racer racer;
  for (std::string line; std::getline(std::cin, line);) {
    const StatusOr<std::string> text = answer(racer, line);
    std::string message = text.ok() ? "ok\t" + *text : "error\t" + text.status().to_string();
    std::ranges::replace(message, '\n', ' ');
    std::cout << message << std::endl;
  }
  return 0;
}
