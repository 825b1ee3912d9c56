// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile_progress.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include "hilo/base/text.h"

namespace hilo {
namespace {

constexpr std::chrono::milliseconds kSilence{1000};  // shorter compilations show no progress
constexpr std::chrono::milliseconds kRefresh{100};
constexpr size_t kColumns = 79;
constexpr char kWipe[] = "\r\x1b[K";

}  // namespace

struct CompileProgress::Shared {
  std::string module;
  std::mutex mutex;
  std::condition_variable ended;
  std::string stage = "start";
  bool done = false;
  std::thread thread;

  /// Without memory for the line, the thread ends.
  void show() try {
    std::unique_lock lock(mutex);
    if (ended.wait_for(lock, kSilence, [&] { return done; })) return;
    do {
      std::fprintf(stderr, "%s%s", kWipe, printable(progress_line(module, stage, kColumns)).c_str());
      std::fflush(stderr);
    } while (!ended.wait_for(lock, kRefresh, [&] { return done; }));
    std::fputs(kWipe, stderr);
    std::fflush(stderr);
  } catch (const std::bad_alloc&) {}
};

bool CompileProgress::is_shown() { return ::isatty(STDERR_FILENO) == 1; }

CompileProgress::CompileProgress(const std::string& module_name, hlo::PassObserver* next) : next_(next) {
  if (!is_shown()) return;
  auto shared = std::make_unique<Shared>();
  shared->module = module_name.empty() ? "module" : module_name;
  try {
    shared->thread = std::thread([shared = shared.get()] { shared->show(); });
  } catch (const std::system_error&) {  // without a thread, the program compiles without progress
    return;
  }
  shared_ = std::move(shared);
}

CompileProgress::~CompileProgress() {
  if (shared_ == nullptr) return;
  {
    std::lock_guard lock(shared_->mutex);
    shared_->done = true;
  }
  shared_->ended.notify_one();
  shared_->thread.join();
}

void CompileProgress::set_stage(std::string_view stage) {
  if (shared_ == nullptr) return;
  std::lock_guard lock(shared_->mutex);
  shared_->stage = stage;
}

void CompileProgress::before(std::string_view pass, const hlo::Module& module) {
  set_stage(pass);
  if (next_ != nullptr) next_->before(pass, module);
}

void CompileProgress::after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) {
  set_stage("code generation");
  if (next_ != nullptr) next_->after(pass, module, changed, milliseconds);
}

void CompileProgress::generated(std::string_view kernel, int64_t code_bytes, double milliseconds) {
  if (next_ != nullptr) next_->generated(kernel, code_bytes, milliseconds);
}

std::string progress_line(std::string_view module, std::string_view stage, size_t columns) {
  std::string line = "compiling " + std::string(module) + ": " + std::string(stage);
  for (char& byte : line) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = '?';
  }
  if (line.size() > columns) line.replace(columns - 3, std::string::npos, "...");
  return line;
}

}  // namespace hilo
