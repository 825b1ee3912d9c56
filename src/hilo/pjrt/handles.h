// SPDX-License-Identifier: Apache-2.0
// pjrt/handles.h -- handles of callers, in memory that records which handles are alive.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "hilo/base/status.h"

namespace hilo::pjrt {

/// Creates and destroys handles of one type. The memory of a destroyed handle is reused for later ones. So a second
/// destruction of the same handle is detected as an error, unless the memory has been reused.
template <class Handle>
class Handles {
 public:
  template <class... Fields>
  static Handle* make(Fields&&... fields) {
    std::unique_ptr<Place> place = kept().take();
    auto* const handle = new (place->memory) Handle{std::forward<Fields>(fields)...};
    place.release()->lives.store(true, std::memory_order_release);
    return handle;
  }

  static bool lives(const Handle* handle) { return place_of(handle)->lives.load(std::memory_order_acquire); }

  /// Destroys a handle. No effect for null.
  /// Errors    FAILED_PRECONDITION for a handle that is already destroyed
  static Status destroy(Handle* handle) {
    if (handle == nullptr) return ok_status();
    Place* const place = place_of(handle);
    if (!place->lives.exchange(false)) return failed_precondition("the handle is already destroyed");
    handle->~Handle();
    kept().give(place);
    return ok_status();
  }

 private:
  struct Place {
    std::atomic<bool> lives = false;
    Place* next = nullptr;  ///< next free slot
    alignas(Handle) std::byte memory[sizeof(Handle)];
  };
  /// The list of free slots.
  class Kept {
   public:
    std::unique_ptr<Place> take() {
      {
        const std::scoped_lock lock(mutex_);
        if (Place* const place = first_; place != nullptr) {
          first_ = place->next;
          return std::unique_ptr<Place>(place);
        }
      }
      return std::make_unique<Place>();
    }
    void give(Place* place) {
      const std::scoped_lock lock(mutex_);
      place->next = first_;
      first_ = place;
    }

   private:
    std::mutex mutex_;
    Place* first_ = nullptr;
  };

  static Kept& kept() {
    static auto* const instance = new Kept;  // never destroyed, because threads may still use it while the process ends
    return *instance;
  }
  static Place* place_of(const Handle* handle) {
    auto* const memory = reinterpret_cast<std::byte*>(const_cast<Handle*>(handle));
    return reinterpret_cast<Place*>(memory - offsetof(Place, memory));
  }
};

/// Deleter of handles that their owner destroys, unless a caller has wrongly destroyed them.
struct EndHandle {
  template <class Handle>
  void operator()(Handle* handle) const {
    (void)Handles<Handle>::destroy(handle);
  }
};
template <class Handle>
using OwnHandle = std::unique_ptr<Handle, EndHandle>;

}  // namespace hilo::pjrt
