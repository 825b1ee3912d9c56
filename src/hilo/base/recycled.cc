// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/recycled.h"

#include <array>
#include <cstdint>

namespace hilo {
namespace {

constexpr size_t kStep = 32;  // bytes between two size classes
constexpr size_t kClasses = kMaxRecycled / kStep;
constexpr uint32_t kMaxKept = 64;  // pieces of one class that a thread keeps

struct Piece {
  Piece* next;
};
struct Pieces {
  Piece* first;
  uint32_t count;
};

/// The pieces of one thread. No destructors, so that objects can be destroyed until the very end of the thread.
struct ThreadPieces {
  std::array<Pieces, kClasses> classes;
  enum State : uint8_t { kNew, kInUse, kEnded } state;
};
constinit thread_local ThreadPieces thread_pieces = {};

/// Frees the thread's pieces when it ends.
struct ThreadEnd {
  ~ThreadEnd() {
    thread_pieces.state = ThreadPieces::kEnded;
    for (Pieces& pieces : thread_pieces.classes) {
      while (pieces.first != nullptr) ::operator delete(std::exchange(pieces.first, pieces.first->next));
      pieces.count = 0;
    }
  }
};

/// Whether the thread keeps pieces; its first call arranges for their end.
bool keeps(ThreadPieces& mine) {
  if (mine.state == ThreadPieces::kInUse) [[likely]]
    return true;
  if (mine.state == ThreadPieces::kEnded) return false;
  thread_local ThreadEnd end;
  static_cast<void>(end);
  mine.state = ThreadPieces::kInUse;
  return true;
}

size_t class_of(size_t bytes) { return (bytes - 1) / kStep; }

}  // namespace

void* recycled_memory(size_t bytes) {
  const size_t size_class = class_of(bytes);
  Pieces& pieces = thread_pieces.classes[size_class];
  Piece* const piece = pieces.first;
  if (piece == nullptr) return ::operator new((size_class + 1) * kStep);
  pieces.first = piece->next;
  --pieces.count;
  return piece;
}

void recycle(void* memory, size_t bytes) noexcept {
  ThreadPieces& mine = thread_pieces;
  Pieces& pieces = mine.classes[class_of(bytes)];
  if (pieces.count >= kMaxKept || !keeps(mine)) return ::operator delete(memory);
  pieces.first = new (memory) Piece{pieces.first};
  ++pieces.count;
}

}  // namespace hilo
