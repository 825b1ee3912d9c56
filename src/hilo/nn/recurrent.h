// SPDX-License-Identifier: Apache-2.0
// nn/recurrent.h -- LSTM and GRU: cells, and loops over a sequence.
#pragma once

#include <utility>

#include "hilo/nn/linear.h"

namespace hilo::nn {

/// The kernels of all gates, joined: for an LSTM the input, forget, cell and output gates; for a GRU the reset, update
/// and candidate gates.
struct LSTM {
  Array input;   ///< [in, 4 * features]
  Array hidden;  ///< [features, 4 * features]
  Array bias;    ///< [4 * features]
  HILO_TREE(input, hidden, bias)
};
struct LSTMState {
  Array c, h;  ///< [..., features]
  HILO_TREE(c, h)
};
/// Creates the parameters of an LSTM: lecun_normal for the inputs, and an orthogonal matrix for the hidden part of each
/// gate, as in flax.
/// Errors    INVALID_ARGUMENT for sizes below 1
LSTM lstm_init(const random::Key& key, int64_t in_features, int64_t features,
               numpy::Line line = numpy::Line::current());
/// Computes one step: i, f, o = sigmoid, g = tanh of (x input + h hidden + bias); c' = f c + i g; h' = o tanh(c').
/// Shapes    x[..., in]
/// Source    Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000)
LSTMState lstm_cell(const LSTM& params, const LSTMState& state, const Operand& x);
/// Runs the cell along a sequence, from zeros. Returns the last state, and h at each position.
/// Shapes    xs[batch, positions, in] -> [batch, positions, features]; or both without batch
std::pair<LSTMState, Array> lstm(const LSTM& params, const Operand& xs);
std::pair<LSTMState, Array> lstm(const LSTM& params, const LSTMState& start, const Operand& xs);

struct GRU {
  Array input;              ///< [in, 3 * features]
  Array hidden;             ///< [features, 3 * features]
  Array bias, hidden_bias;  ///< [3 * features]; and [features] for the hidden part of the candidate
  HILO_TREE(input, hidden, bias, hidden_bias)
};
/// Creates the parameters of a GRU: lecun_normal for the inputs, orthogonal for the hidden part, zeros for the biases.
GRU gru_init(const random::Key& key, int64_t in_features, int64_t features, numpy::Line line = numpy::Line::current());
/// Computes one step: r, z = sigmoid of (x input + h hidden + bias); n = tanh(x input + bias + r (h hidden +
/// hidden_bias)); h' = (1 - z) n + z h.
/// Source    Cho et al. (2014), with the reset gate after the product
Array gru_cell(const GRU& params, const Array& h, const Operand& x);
std::pair<Array, Array> gru(const GRU& params, const Operand& xs);
std::pair<Array, Array> gru(const GRU& params, const Array& start, const Operand& xs);

}  // namespace hilo::nn
