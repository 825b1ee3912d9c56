// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/vmap.h"

#include "hilo/trace/ref.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/transpose.h"

namespace hilo::vmap_detail {

std::vector<BatchDim> axes_of_leaves(const std::string& what, const std::vector<Axis>& axes,
                                     const std::vector<size_t>& leaf_counts) {
  if (axes.size() != 1 && axes.size() != leaf_counts.size()) {
    or_throw(invalid_argument(what + " must have one entry or one each: got " + std::to_string(axes.size()) + " for " +
                              std::to_string(leaf_counts.size())));
  }
  std::vector<BatchDim> dims;
  for (size_t i = 0; i < leaf_counts.size(); ++i) {
    const Axis axis = axes.size() == 1 ? axes[0] : axes[i];
    dims.insert(dims.end(), leaf_counts[i], axis ? BatchDim(*axis) : std::nullopt);
  }
  return dims;
}

namespace {

/// Assigns to every leaf the axis that the prefix specifies. `root` names the tree in messages: "args[1]".
class AxisVisitor final : public TreeVisitor {
 public:
  AxisVisitor(const std::string& what, std::string root, const AxisTree& axes)
      : what_(what), places_({std::move(root)}), path_({&axes}) {}

  void leaf(Array&) override {
    if (path_.back()->has_parts()) refuse("an Array");
    const Axis& axis = path_.back()->axis();
    dims.push_back(axis ? BatchDim(*axis) : std::nullopt);
  }
  void node(char, size_t size) override {
    if (path_.back()->has_parts() && path_.back()->parts().size() != size) refuse(std::to_string(size) + " parts");
  }
  void fixed(const void*, size_t, const void*, FixedText) override {}
  void enter(size_t index, const char*) override {
    const AxisTree& here = *path_.back();
    path_.push_back(here.has_parts() ? &here.parts()[index] : &here);
    places_.push_back(places_.back() + "[" + std::to_string(index) + "]");
  }
  void leave() override {
    path_.pop_back();
    places_.pop_back();
  }

  std::vector<BatchDim> dims;

 private:
  void refuse(const std::string& expected) const {
    or_throw(invalid_argument(what_ + ": axes must be a prefix of the tree; at " + places_.back() + " the axes have " +
                              std::to_string(path_.back()->parts().size()) + " parts, the tree has " + expected));
  }

  const std::string& what_;
  std::vector<std::string> places_;
  std::vector<const AxisTree*> path_;
};

/// `roots` names the trees: "args" or "result".
std::vector<BatchDim> axes_in_trees(const std::string& what, const std::string& roots,
                                    const std::vector<AxisTree>& axes, const Trees& trees) {
  if (axes.size() != 1 && axes.size() != trees.count) {
    or_throw(invalid_argument(what + " must have one entry or one each: got " + std::to_string(axes.size()) + " for " +
                              std::to_string(trees.count)));
  }
  std::vector<BatchDim> dims;
  for (size_t i = 0; i < trees.count; ++i) {
    AxisVisitor visitor(what, roots + "[" + std::to_string(i) + "]", axes.size() == 1 ? axes[0] : axes[i]);
    trees.walk(i, visitor);
    dims.insert(dims.end(), visitor.dims.begin(), visitor.dims.end());
  }
  return dims;
}

}  // namespace

std::vector<Array> vmap(const FlatFunction& f, std::span<const Array> leaves, const Trees& arguments,
                        const ResultTrees& results, const VmapOptions& options, const std::source_location& location) {
  const std::string where = "vmap (" + describe_location(location) + ")";
  const std::vector<BatchDim> in_dims = axes_in_trees(where + " in_axes", "args", options.in_axes, arguments);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (in_dims[i] && (*in_dims[i] >= leaves[i].ndim() || *in_dims[i] < -leaves[i].ndim())) {
      or_throw(invalid_argument(where + " in_axes: axis " + std::to_string(*in_dims[i]) +
                                " is out of range for argument leaf " + std::to_string(i) + " of type " +
                                leaves[i].aval_shape().to_string()));
    }
  }
  if (options.axis_size && *options.axis_size < 0)
    or_throw(invalid_argument(where + ": axis_size must not be negative; got " + std::to_string(*options.axis_size)));
  std::vector<bool> mapped;
  for (const BatchDim& dim : in_dims) mapped.push_back(dim.has_value());
  RefArguments refs("vmap", leaves, mapped);
  const FlatFunction over_refs = [&](std::span<const Array> values) {
    std::vector<Array> out = f(refs.enter(values));
    refs.append_final(out);
    return out;
  };
  std::vector<Array> out = vmap_flat(
      over_refs, refs.values(), in_dims,
      [&](size_t) {
        std::vector<BatchDim> dims =
            axes_in_trees(where + " out_axes", "result", options.out_axes, results.trees(results.result));
        for (const size_t leaf : refs.appended()) dims.push_back(in_dims[leaf]);
        return dims;
      },
      where, options.axis_name, options.axis_size, options.spmd_axis_name);
  const size_t own = out.size() - refs.appended().size();
  refs.write(std::span(out).subspan(own));
  out.resize(own);
  return out;
}

Array abstract_array(const ShapeDtypeStruct& like) {
  return linear_operand({or_throw(Shape::make_array(like.dtype, like.shape)), false});
}

Array abstract(const Aval& value) { return linear_operand(value); }

std::vector<Array> abstract_results(const FlatFunction& f, std::span<const Array> leaves) {
  RefArguments refs("eval_shape", leaves);
  std::vector<Aval> avals;
  for (const Array& a : leaves) avals.push_back(a.aval());
  StagingTrace trace(&current_trace(), "eval_shape", "eval_shape", CapturePlace::kLast, OuterRefs::kWrite);
  std::vector<Array> arguments;
  for (const Aval& aval : avals) arguments.push_back(trace.add_argument(aval));
  TraceScope scope(trace);
  return f(refs.enter(arguments));
}

}  // namespace hilo::vmap_detail

namespace hilo {

AxisList::AxisList(int axis) : vector{axis} {}
AxisList::AxisList(std::nullopt_t) : vector{AxisTree(std::nullopt)} {}
AxisList::AxisList(std::initializer_list<AxisTree> axes) : vector(axes) {}
AxisList::AxisList(std::vector<AxisTree> axes) : vector(std::move(axes)) {}

}  // namespace hilo
