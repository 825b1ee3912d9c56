// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/minimum_degree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hilo::sparse_direct {
namespace {

using Indices = std::vector<int32_t>;

/// Vertices by degree, in doubly linked lists.
class Buckets {
 public:
  explicit Buckets(size_t count) : head_(count + 1, -1), next_(count, -1), previous_(count, -1), degree_(count, -1) {}

  void insert(int32_t vertex, int64_t degree) {
    const auto d = static_cast<int32_t>(degree);
    degree_[vertex] = d;
    next_[vertex] = head_[d];
    previous_[vertex] = -1;
    if (head_[d] >= 0) previous_[head_[d]] = vertex;
    head_[d] = vertex;
    least_ = std::min(least_, d);
  }
  void remove(int32_t vertex) {
    const int32_t before = previous_[vertex], after = next_[vertex];
    if (before >= 0) next_[before] = after;
    else head_[degree_[vertex]] = after;
    if (after >= 0) previous_[after] = before;
  }
  int32_t take_least() {
    while (head_[least_] < 0) ++least_;
    const int32_t vertex = head_[least_];
    remove(vertex);
    return vertex;
  }
  int64_t degree(int32_t vertex) const { return degree_[vertex]; }

 private:
  Indices head_, next_, previous_, degree_;
  int32_t least_ = 0;
};

/// The graph during elimination. An eliminated vertex becomes an element: a clique, stored as the list of its members.
/// A vertex may stand for several that have the same neighbours; `weight` is their number, 0 if it is eliminated.
class QuotientGraph {
 public:
  explicit QuotientGraph(const Graph& graph)
      : vertices_(graph),
        elements_(graph.size()),
        members_(graph.size()),
        followers_(graph.size()),
        weight_(graph.size(), 1),
        element_weight_(graph.size(), 0),
        outside_(graph.size(), 0),
        degree_(graph.size(), 0),
        mark_(graph.size(), 0),
        measured_(graph.size(), 0),
        is_element_(graph.size(), false),
        buckets_(graph.size()) {
    set_dense_aside();
    for (int32_t v = 0; v < size(); ++v) {
      if (weight_[v] == 0) continue;
      if (!dense_.empty()) std::erase_if(vertices_[v], [&](int32_t n) { return weight_[n] == 0; });
      ++remaining_;
      buckets_.insert(v, std::ssize(vertices_[v]));
    }
  }

  Indices order() {
    while (remaining_ > 0) eliminate(buckets_.take_least());
    Indices all;
    all.reserve(weight_.size());
    for (int32_t pivot : pivots_) append_with_followers(pivot, all);
    all.insert(all.end(), dense_.begin(), dense_.end());
    return all;
  }

 private:
  int32_t size() const { return static_cast<int32_t>(weight_.size()); }

  /// Vertices with very many neighbours slow the search down, and have to be last anyway.
  void set_dense_aside() {
    const double bound = std::max(16.0, 10.0 * std::sqrt(static_cast<double>(size())));
    for (int32_t v = 0; v < size(); ++v) {
      if (static_cast<double>(vertices_[v].size()) <= bound) continue;
      dense_.push_back(v);
      weight_[v] = 0;
    }
    std::ranges::stable_sort(dense_, {}, [&](int32_t v) { return vertices_[v].size(); });
  }

  void append_with_followers(int32_t vertex, Indices& all) const {
    Indices pending = {vertex};
    while (!pending.empty()) {
      const int32_t v = pending.back();
      pending.pop_back();
      all.push_back(v);
      pending.insert(pending.end(), followers_[v].begin(), followers_[v].end());
    }
  }

  void eliminate(int32_t pivot) {
    form_element(pivot);
    remaining_ -= weight_[pivot];
    weight_[pivot] = 0;
    measure_elements(members_[pivot]);
    ++stamp_;
    for (int32_t v : members_[pivot]) mark_[v] = stamp_;
    for (int32_t v : members_[pivot]) prune(v, pivot);
    std::erase_if(members_[pivot], [&](int32_t v) { return weight_[v] == 0; });
    merge_equal(members_[pivot]);
    std::erase_if(members_[pivot], [&](int32_t v) { return weight_[v] == 0; });
    for (int32_t v : members_[pivot]) set_degree(v, pivot);
    pivots_.push_back(pivot);
    is_element_[pivot] = !members_[pivot].empty();
    release(vertices_[pivot]);
    release(elements_[pivot]);
  }

  static void release(Indices& list) { Indices().swap(list); }

  /// Collects the neighbours of the pivot, and absorbs its elements.
  void form_element(int32_t pivot) {
    ++stamp_;
    mark_[pivot] = stamp_;
    Indices& members = members_[pivot];
    int64_t weight = 0;
    const auto add = [&](int32_t v) {
      if (weight_[v] == 0 || mark_[v] == stamp_) return;
      mark_[v] = stamp_;
      members.push_back(v);
      weight += weight_[v];
    };
    for (int32_t v : vertices_[pivot]) add(v);
    for (int32_t e : elements_[pivot]) {
      if (!is_element_[e]) continue;
      for (int32_t v : members_[e]) add(v);
      is_element_[e] = false;
      release(members_[e]);
    }
    element_weight_[pivot] = weight;
  }

  /// Computes for each element that touches the new one the weight of its members outside of the new one.
  void measure_elements(const Indices& members) {
    ++stamp_;
    for (int32_t v : members) {
      for (int32_t e : elements_[v]) {
        if (!is_element_[e]) continue;
        if (measured_[e] != stamp_) {
          measured_[e] = stamp_;
          outside_[e] = element_weight_[e];
        }
        outside_[e] -= weight_[v];
      }
    }
  }

  /// Removes from the lists of `v` what the new element covers. A vertex without other neighbours is eliminated
  /// together with the pivot.
  void prune(int32_t v, int32_t pivot) {
    int64_t outside = 0;
    std::erase_if(elements_[v], [&](int32_t e) {
      if (!is_element_[e]) return true;
      if (outside_[e] == 0) {
        is_element_[e] = false;
        release(members_[e]);
        return true;
      }
      outside += outside_[e];
      return false;
    });
    std::erase_if(vertices_[v], [&](int32_t n) { return weight_[n] == 0 || mark_[n] == stamp_; });
    for (int32_t n : vertices_[v]) outside += weight_[n];
    if (outside == 0) {
      buckets_.remove(v);
      followers_[pivot].push_back(v);
      remaining_ -= weight_[v];
      element_weight_[pivot] -= weight_[v];
      weight_[v] = 0;
      return;
    }
    elements_[v].push_back(pivot);
    degree_[v] = outside;
  }

  /// Merges members whose lists are equal.
  void merge_equal(const Indices& members) {
    std::vector<std::pair<uint64_t, int32_t>> keys;
    for (int32_t v : members) {
      uint64_t key = vertices_[v].size() << 8 ^ elements_[v].size();
      for (int32_t n : vertices_[v]) key += mixed(n);
      for (int32_t e : elements_[v]) key += mixed(e);
      keys.emplace_back(key, v);
    }
    std::ranges::sort(keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      const int32_t first = keys[i].second;
      if (weight_[first] == 0 || i + 1 == keys.size() || keys[i + 1].first != keys[i].first) continue;
      ++stamp_;
      for (int32_t n : vertices_[first]) mark_[n] = stamp_;
      for (int32_t e : elements_[first]) mark_[e] = stamp_;
      for (size_t k = i + 1; k < keys.size() && keys[k].first == keys[i].first; ++k)
        merge_if_equal(first, keys[k].second);
    }
  }
  static uint64_t mixed(int32_t index) { return static_cast<uint64_t>(index + 1) * 0x9e3779b97f4a7c15U; }

  void merge_if_equal(int32_t first, int32_t other) {
    const auto marked = [&](int32_t k) { return mark_[k] == stamp_; };
    const bool equal = weight_[other] != 0 && vertices_[other].size() == vertices_[first].size() &&
                       elements_[other].size() == elements_[first].size() &&
                       std::ranges::all_of(vertices_[other], marked) && std::ranges::all_of(elements_[other], marked);
    if (!equal) return;
    weight_[first] += weight_[other];
    weight_[other] = 0;
    followers_[first].push_back(other);
    buckets_.remove(other);
    release(vertices_[other]);
    release(elements_[other]);
  }

  /// Sets the approximate degree, an upper bound: elements may overlap.
  void set_degree(int32_t v, int32_t pivot) {
    const int64_t within = element_weight_[pivot] - weight_[v];
    const int64_t bound = std::min({remaining_ - weight_[v], buckets_.degree(v) + within, degree_[v] + within});
    buckets_.remove(v);
    buckets_.insert(v, std::max<int64_t>(bound, 0));
  }

  Graph vertices_, elements_, members_, followers_;
  std::vector<int64_t> weight_, element_weight_, outside_, degree_, mark_, measured_;
  std::vector<bool> is_element_;
  Buckets buckets_;
  Indices pivots_, dense_;
  int64_t remaining_ = 0, stamp_ = 0;
};

}  // namespace

std::vector<int32_t> minimum_degree_order(const Graph& graph) { return QuotientGraph(graph).order(); }

}  // namespace hilo::sparse_direct
