// SPDX-License-Identifier: Apache-2.0
// training/safetensors.h -- arrays in .safetensors files, the common format for model weights.
#pragma once

#include <map>
#include <string>

#include "hilo/numpy/dtypes.h"

namespace hilo::training {

/// Reads the tensors of a file, by name, with their types.
/// Errors    those of io::open_safetensors
/// Cost      the file is mapped. If the device reads host memory, a tensor at a multiple of 64 bytes is not copied, and
///           is read when it is used; others are copied. The file must not be truncated meanwhile
std::map<std::string, Array> load_safetensors(const std::string& path, numpy::Line line = numpy::Line::current());

/// Writes tensors to a file, by name.
/// Errors    those of io::write_safetensors
void save_safetensors(const std::string& path, const std::map<std::string, Array>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      numpy::Line line = numpy::Line::current());

}  // namespace hilo::training

namespace hilo::io {
using training::load_safetensors, training::save_safetensors;  ///< also available in namespace hilo
}  // namespace hilo::io
