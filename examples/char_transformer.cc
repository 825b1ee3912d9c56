// SPDX-License-Identifier: Apache-2.0
// examples/char_transformer.cc -- a small transformer learns to write a licence, letter by letter: `char_transformer
// [report.html]`. Source    Vaswani et al. (2017); norms before the layers as in GPT-2, rotary positions, keys shared
// by heads
#include <map>

#include "examples/support/page.h"

using namespace hilo;

constexpr int64_t kWidth = 64, kHeads = 4, kKeyHeads = 2, kLayers = 2, kContext = 48, kBatch = 16;
constexpr int kSteps = 250;

struct Block {
  nn::RMSNorm before_attention, before_mlp;
  nn::MultiHeadAttention attention;
  nn::Dense wide, narrow;
  HILO_TREE(before_attention, before_mlp, attention, wide, narrow)  // names for the summary
};
struct Model {
  nn::Embedding letters;
  std::vector<Block> blocks;
  nn::RMSNorm last;
  HILO_TREE(letters, blocks, last)
};

Block block_init(const random::Key& key) {
  const std::vector<random::Key> keys = random::split(key, 3);
  return {nn::rms_norm_init(kWidth), nn::rms_norm_init(kWidth),
          nn::multi_head_attention_init(keys[0], kWidth, kHeads, {.num_key_value_heads = kKeyHeads, .use_bias = false}),
          nn::dense_init(keys[1], kWidth, 4 * kWidth), nn::dense_init(keys[2], 4 * kWidth, kWidth)};
}

Model init(const random::Key& key, int64_t letters) {
  const std::vector<random::Key> keys = random::split(key, kLayers + 1);
  Model model = {nn::embedding_init(keys[0], letters, kWidth), {}, nn::rms_norm_init(kWidth)};
  for (size_t i = 0; i < kLayers; ++i) model.blocks.push_back(block_init(keys[i + 1]));
  return model;
}

// Scores of the next letter at every position: s32[batch, positions] -> f32[batch, positions, letters].
Array logits(const Model& m, const Array& ids) {
  Array x = nn::embed(m.letters, ids);
  for (const Block& b : m.blocks) {
    x = x + nn::multi_head_attention(b.attention, nn::rms_norm(b.before_attention, x),
                                     {.is_causal = true, .positions = numpy::arange(ids.shape(1))});
    x = x + nn::dense(b.narrow, nn::gelu(nn::dense(b.wide, nn::rms_norm(b.before_mlp, x))));
  }
  return nn::embed_attend(m.letters, nn::rms_norm(m.last, x));
}

// Of pieces that are one letter longer than the context.
Array loss(const Model& m, const Array& pieces) {
  const Array scores = logits(m, pieces(all, range(0, kContext)));
  return numpy::mean(optim::softmax_cross_entropy_with_integer_labels(scores, pieces(all, range(1, none))));
}

// The letters of a text, numbered.
struct Alphabet {
  std::string letters;
  std::vector<int> ids;
};
Alphabet read_alphabet(const std::string& text) {
  std::map<char, int> numbers;
  for (char c : text) numbers.emplace(c, 0);
  Alphabet all;
  for (auto& [letter, number] : numbers) {
    number = static_cast<int>(all.letters.size());
    all.letters += letter;
  }
  for (char c : text) all.ids.push_back(numbers.at(c));
  return all;
}

// A window moves over the text; its last place, which the padding fills at first, is the one that is drawn.
std::string write(const Model& model, const Alphabet& alphabet, const std::string& beginning, int64_t count,
                  const random::Key& key) {
  const auto next = jit([](const Model& m, const Array& window, const Array& last, const random::Key& k) {
    const Array scores = logits(m, numpy::expand_dims(window, 0))[0];
    return random::categorical(k, scores[last] / 0.5f);
  });
  std::string text = beginning;
  for (int64_t i = 0; i < count; ++i) {
    const size_t begin = text.size() > kContext ? text.size() - kContext : 0;
    std::vector<int> window;
    for (size_t k = begin; k < text.size(); ++k) window.push_back(static_cast<int>(alphabet.letters.find(text[k])));
    const auto last = static_cast<int>(window.size()) - 1;
    window.resize(kContext, 0);
    const int id = next(model, numpy::array(window), Array(last), random::fold_in(key, i)).item<int>();
    text += alphabet.letters[static_cast<size_t>(id)];
  }
  return text;
}

int main(int argc, char** argv) {
  const std::string text = or_throw(read_file(HILO_EXAMPLE_DATA "/../../LICENSE"));
  const Alphabet alphabet = read_alphabet(text);
  const Array ids = numpy::array(alphabet.ids);
  const random::Key seed = random::key(0);
  Model model = init(seed, static_cast<int64_t>(alphabet.letters.size()));
  const auto optimizer = optim::chain({optim::clip_by_global_norm(1.0), optim::adamw(4e-3)});
  optim::OptState state = optimizer.init(model);
  const auto step = jit([&](const Model& m, const optim::OptState& s, const random::Key& key) {
    const Array starts = random::randint(key, {kBatch, 1}, 0, ids.size() - kContext);
    const Array pieces = numpy::take(ids, starts + numpy::expand_dims(numpy::arange(kContext + 1), 0));
    const auto [value, gradient] = value_and_grad(loss)(m, pieces);
    const auto [updates, next] = optimizer.update(gradient, s, m);
    return std::tuple(optim::apply_updates(m, updates), next, value);
  });
  std::vector<double> losses;
  training::Progress progress("training", kSteps);
  for (int i = 0; i < kSteps; ++i) {
    Array value;
    std::tie(model, state, value) = step(model, state, random::fold_in(seed, 1000 + i));
    losses.push_back(value.item<double>());
    progress.step(i + 1, "loss " + std::to_string(losses.back()));
  }
  progress.finish();
  const std::string sample = write(model, alphabet, "Licensor ", 200, random::fold_in(seed, 1));

  examples::Page page("A transformer that writes a licence");
  page.code(nn::summary(model, logits, numpy::zeros({1, kContext}, int32)));
  page.chart("loss in nats a letter", {examples::curve("loss", losses)});
  page.text("What it writes:");
  page.code(sample);
  std::printf("%s\nloss %.3f nats a letter, %.3f at first; %lld parameters\n", sample.c_str(), losses.back(),
              losses.front(), static_cast<long long>(nn::num_parameters(model)));
  return examples::finish(page, argc, argv, "character transformer", losses.back() < 2.0 && losses.front() > 3.5);
}
