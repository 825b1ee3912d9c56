// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "hilo/base/files.h"
#include "hilo/io/safetensors.h"
#include "hilo/numpy/numpy.h"
#include "hilo/optim/optim.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo::training {
namespace {

/// A temporary folder with a name unique to this process, deleted at the end of the test.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(testing::TempDir() + "hilo_checkpoint_" + std::to_string(getpid()) + "_" + name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Layer {
  Array w, b;
  HILO_TREE(w, b)
};
enum class Mode { kSlow, kFast };
struct State {
  std::vector<Layer> layers;
  std::map<std::string, Array> moments;
  std::optional<Array> mask;
  int64_t step = 0;
  double rate = 0;
  bool done = false;
  Mode mode = Mode::kSlow;
  std::string name;
  random::Key key;
  HILO_TREE(layers, moments, mask, step, rate, done, mode, name, key)
};

State example() {
  State state;
  state.layers = {{numpy::array({1.5f, -2.5f}), numpy::zeros({0, 3})}, {numpy::array({1, 2, 3}), numpy::array(true)}};
  state.moments = {{"first", numpy::array(std::numeric_limits<float>::quiet_NaN())}, {"second", Array(0.25)}};
  state.mask = Array::from_literal(Literal::array<std::complex<double>>({1}, {{1, -2}}));
  state.step = int64_t{1} << 40;
  state.rate = 0.1;
  state.done = true;
  state.mode = Mode::kFast;
  state.name = "a name that is longer than what a string holds in itself";
  state.key = random::key(3);
  return state;
}

State empty() {
  State state;
  state.layers = {{numpy::zeros({2}), numpy::zeros({0, 3})}, {numpy::array({0, 0, 0}), numpy::array(false)}};
  state.moments = {{"first", numpy::zeros({})}, {"second", numpy::zeros({})}};
  state.mask = Array::from_literal(Literal(Shape::array(ElementType::kC128, {1})));
  state.key = random::key(0);
  return state;
}

TEST(Checkpoint, GivesBackEveryBit) {
  const Folder folder("every_bit");
  save_checkpoint(folder.file("a"), example());
  const State back = restore_checkpoint(folder.file("a"), empty());
  const FlatTree wanted = flatten(example()), got = flatten(back);
  EXPECT_EQ(got.structure, wanted.structure);  // also numbers and strings
  ASSERT_EQ(got.leaves.size(), wanted.leaves.size());
  for (size_t i = 0; i < got.leaves.size(); ++i) {
    EXPECT_TRUE(got.leaves[i].to_literal().identical(wanted.leaves[i].to_literal())) << i;
    EXPECT_EQ(got.leaves[i].weak_type(), wanted.leaves[i].weak_type()) << i;
  }
}

TEST(Checkpoint, IsASafetensorsFileForOthers) {
  const Folder folder("others");
  save_checkpoint(folder.file("a"), example());
  const StatusOr<io::Safetensors> file = io::read_safetensors(folder.file("a"));
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  EXPECT_EQ(file->tensors.at(".layers[0].w").to_string(), "f32[2] {1.5, -2.5}");
}

TEST(Checkpoint, HoldsOneArrayOrNone) {
  const Folder folder("one");
  save_checkpoint(folder.file("a"), numpy::array({1.0f, 2.0f}));
  EXPECT_EQ(restore_checkpoint(folder.file("a"), numpy::zeros({2})).to_vector<float>(), (std::vector<float>{1, 2}));
  save_checkpoint(folder.file("b"), std::pair(1, std::string("x")));
  EXPECT_EQ(restore_checkpoint(folder.file("b"), std::pair(0, std::string())), std::pair(1, std::string("x")));
}

TEST(CheckpointError, NamesTheFirstPlaceThatDiffers) {
  const Folder folder("differs");
  save_checkpoint(folder.file("a"), example());
  const auto restored = [&](auto change) {
    State like = empty();
    change(like);
    return error_of([&] { restore_checkpoint(folder.file("a"), like); }, StatusCode::kInvalidArgument);
  };
  const auto ends = [](const std::string& text, const std::string& end) { return text.ends_with(end) ? end : text; };
  std::string wanted = "the checkpoint has vector of 2 at .layers, the tree has vector of 1 at .layers";
  EXPECT_EQ(ends(restored([](State& s) { s.layers.pop_back(); }), wanted), wanted);
  wanted = "the checkpoint has key \"\\\"second\\\"\" at .moments, the tree has key \"\\\"third\\\"\" at .moments";
  EXPECT_EQ(ends(restored([](State& s) { s.moments = {{"first", 0.0f}, {"third", 0.0f}}; }), wanted), wanted);
  wanted = "array '.layers[0].w' is f32[2] in the checkpoint and f32[3] in the tree";
  EXPECT_EQ(ends(restored([](State& s) { s.layers[0].w = numpy::zeros({3}); }), wanted), wanted);
  wanted = "the checkpoint has optional of 1 at .mask, the tree has optional of 0 at .mask";
  EXPECT_EQ(ends(restored([](State& s) { s.mask.reset(); }), wanted), wanted);
}

TEST(CheckpointError, EveryFlippedBitIsSeen) {
  const Folder folder("flipped");
  const auto tree = std::pair(numpy::array({1.0f, 2.0f}), 5);
  const std::string path = folder.file("a");
  save_checkpoint(path, tree);
  const std::string bytes = *read_file(path);
  const StatusOr<io::SafetensorsFile> file = io::open_safetensors(path);
  const auto header = static_cast<size_t>(file->header.size);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 1);
    ASSERT_TRUE(write_file_atomic(path, other, Durability::kCached).ok());
    try {
      const auto back = restore_checkpoint(path, tree);  // an unspecified value can't be wrong
      EXPECT_LT(at, header) << "a flipped bit of the data that nobody sees";
      EXPECT_EQ(back.first.to_vector<float>(), tree.first.to_vector<float>()) << at;
      EXPECT_EQ(back.second, 5) << at;
    } catch (const Error& error) {
      EXPECT_TRUE(at < header || error.code() == StatusCode::kDataLoss) << at << ": " << error.what();
    }
  }
  ASSERT_TRUE(write_file_atomic(path, bytes.substr(0, bytes.size() - 1)).ok());
  EXPECT_NE(error_of([&] { restore_checkpoint(path, tree); }, StatusCode::kInvalidArgument), "");
}

TEST(CheckpointError, TensorsAloneAreNoCheckpoint) {
  const Folder folder("alone");
  ASSERT_TRUE(io::write_safetensors(folder.file("a"), {{"w", Literal::scalar(1.0f)}}).ok());
  const std::string error =
      error_of([&] { restore_checkpoint(folder.file("a"), numpy::zeros({})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("not a checkpoint: the file has tensors only. Hint: load_safetensors"), std::string::npos)
      << error;
}

TEST(CheckpointManager, KeepsTheNewest) {
  const Folder folder("keeps");
  CheckpointManager manager(folder.file("run"), {.max_to_keep = 2});
  EXPECT_FALSE(manager.latest_step().has_value());
  for (int64_t step : {1, 2, 10, 9}) manager.save(step, numpy::array(static_cast<float>(step)));
  EXPECT_EQ(manager.all_steps(), (std::vector<int64_t>{9, 10}));
  EXPECT_EQ(manager.latest_step(), 10);
  EXPECT_EQ(manager.restore(9, numpy::zeros({})).item<float>(), 9);
  EXPECT_NE(error_of([&] { manager.restore(1, numpy::zeros({})); }, StatusCode::kNotFound), "");
}

TEST(CheckpointManager, LeavesOtherFilesAlone) {
  const Folder folder("others_files");
  const std::vector<std::string> names = {"step_.safetensors",    "step_x.safetensors", "step_-1.safetensors",
                                          "step_007.safetensors", "notes.txt",          ".hilo-1-2.tmp"};
  for (const std::string& name : names) ASSERT_TRUE(write_new_file(folder.file(name), "x").ok());
  CheckpointManager manager(folder.path(), {.max_to_keep = 1});
  manager.save(1, numpy::zeros({}));
  manager.save(2, numpy::zeros({}));
  EXPECT_EQ(manager.all_steps(), (std::vector<int64_t>{2}));
  for (const std::string& name : names) EXPECT_TRUE(file_exists(folder.file(name))) << name;
}

TEST(CheckpointManager, WritesWhatTheTreeWasWhenSaveWasCalled) {
  const Folder folder("async");
  CheckpointManager manager(folder.path(), {.max_to_keep = 3, .async = true});
  Array x = numpy::zeros({1000});
  for (int64_t step = 0; step < 6; ++step) {
    manager.save(step, x);
    x = x + 1.0f;
  }
  manager.wait_until_finished();
  EXPECT_EQ(manager.all_steps(), (std::vector<int64_t>{3, 4, 5}));
  for (int64_t step : manager.all_steps()) {
    EXPECT_EQ(manager.restore(step, x).to_vector<double>(), std::vector<double>(1000, static_cast<double>(step)));
  }
}

TEST(CheckpointManager, AnErrorOfTheThreadIsThrownByTheNextCall) {
  const Folder folder("thread_error");
  CheckpointManager manager(folder.file("run"), {.async = true});
  std::filesystem::remove_all(folder.file("run"));
  manager.save(1, numpy::zeros({}));
  EXPECT_NE(error_of([&] { manager.wait_until_finished(); }, StatusCode::kNotFound), "");
  manager.wait_until_finished();  // the error is thrown only once
}

TEST(CheckpointManager, ADamagedCheckpointNamesTheLastGoodOne) {
  const Folder folder("damaged");
  CheckpointManager manager(folder.path());
  for (int64_t step : {1, 2, 3}) manager.save(step, numpy::arange(10));
  for (int64_t step : {2, 3}) {
    std::string bytes = *read_file(manager.path_of(step));
    bytes.back() = static_cast<char>(bytes.back() ^ 4);
    ASSERT_TRUE(write_file_atomic(manager.path_of(step), bytes).ok());
  }
  const std::string error = error_of([&] { manager.restore(3, numpy::arange(10)); }, StatusCode::kDataLoss);
  EXPECT_NE(error.find("checksum"), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with("; last good step: 1")) << error;
}

struct Training {
  Array w;
  optim::OptState optimizer;
  int step = 0;
};

TEST(CheckpointManager, TrainingGoesOnBitForBit) {
  const Folder folder("resume");
  const Array x = random::normal(random::key(0), {32, 4});
  const auto adam = optim::adam(0.05);
  const auto update = jit([&](const Array& w, const optim::OptState& state) {
    const Array g = grad([&](const Array& v) { return numpy::mean(numpy::square(numpy::matmul(x, v) - 1.0f)); })(w);
    const auto [updates, next] = adam.update(g, state, w);
    return std::pair(optim::apply_updates(w, updates), next);
  });
  const auto train = [&](Training t, int until, CheckpointManager* manager) {
    while (t.step < until) {
      std::tie(t.w, t.optimizer) = update(t.w, t.optimizer);
      ++t.step;
      if (manager != nullptr) manager->save(t.step, t);
    }
    return t;
  };
  const Array zero = numpy::zeros({4});
  const Training start = {zero, adam.init(zero), 0};
  const Training whole = train(start, 20, nullptr);
  CheckpointManager manager(folder.path(), {.async = true});
  train(start, 7, &manager);
  const Training resumed = train(manager.restore(7, start), 20, nullptr);
  const FlatTree a = flatten(whole), b = flatten(resumed);
  EXPECT_EQ(a.structure, b.structure);
  for (size_t i = 0; i < a.leaves.size(); ++i) {
    EXPECT_TRUE(a.leaves[i].to_literal().identical(b.leaves[i].to_literal())) << i;
  }
}

}  // namespace
}  // namespace hilo::training
