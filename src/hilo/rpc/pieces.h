// SPDX-License-Identifier: Apache-2.0
// rpc/pieces.h -- bytes that lie in pieces, as a message has them on its way: the head in one place, an array's bytes
// in others, where they are copied to once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::rpc {

/// Some bytes, in order, and what keeps them where they are. Copies have the same bytes.
struct Pieces {
  std::vector<std::string_view> parts = {};  ///< none of them is empty
  std::shared_ptr<const void> owner = nullptr;

  Pieces() = default;
  explicit Pieces(std::string whole);
  Pieces(std::vector<std::string_view> parts, std::shared_ptr<const void> owner);
  /// Bytes that somebody else keeps as long as they are needed.
  static Pieces view(std::string_view bytes) { return {{bytes}, nullptr}; }

  size_t size() const;
  bool empty() const { return parts.empty(); }
  /// The bytes from `position` on, at most so many, with the same owner.
  Pieces part(size_t position, size_t size = std::string_view::npos) const;
  /// A copy of them, one after the other.
  std::string whole() const;
  /// Copies them to where there is room for size() bytes. A piece that lies there already stays.
  void copy_to(char* to) const;
};

/// The bytes of one, then those of the other.
Pieces joined(std::string head, const Pieces& rest);

}  // namespace hilo::rpc
