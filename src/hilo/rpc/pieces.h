// SPDX-License-Identifier: Apache-2.0
// rpc/pieces.h -- a sequence of bytes in several pieces, so that an array's bytes are sent from where they are.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::rpc {

/// Bytes in several parts, in order, and the owner of their memory. Copies refer to the same bytes.
struct Pieces {
  std::vector<std::string_view> parts = {};  ///< nonempty
  std::shared_ptr<const void> owner = nullptr;

  Pieces() = default;
  explicit Pieces(std::string whole);
  Pieces(std::vector<std::string_view> parts, std::shared_ptr<const void> owner);
  /// Refers to bytes that the caller keeps alive.
  static Pieces view(std::string_view bytes) { return {{bytes}, nullptr}; }

  size_t size() const;
  bool empty() const { return parts.empty(); }
  /// Returns at most `size` bytes from `position` on, with the same owner.
  Pieces part(size_t position, size_t size = std::string_view::npos) const;
  /// Returns a contiguous copy.
  std::string whole() const;
  /// Copies all bytes to memory of size() bytes. A part that is already at its place isn't copied.
  void copy_to(char* to) const;
};

/// Concatenates `head` and `rest`.
Pieces joined(std::string head, const Pieces& rest);

}  // namespace hilo::rpc
