// SPDX-License-Identifier: BSD-2-Clause
// The query, and every way to its derivative when its answer is known.
#include "library.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum::compare {
namespace {

/// The kind of measurement: the query, the derivative of the distance alone, or all Jacobians by an
/// estimator.
struct Way {
  const char* name;
  enum class Kind { query, distance_jacobian, estimator } kind;
  Estimator estimator = Exact{};
};

class DerivativeSide : public Side {
 public:
  DerivativeSide(const Family& family, const Cell& cell, const Way& way)
      : family_(family), cell_(cell), way_(way) {
    for (const Query& query : cell.queries) values_.push_back(query_of(query));
  }

  std::string setting() const override { return "default"; }

  double run(int first, int count) override {
    double sum = 0.0;
    for (int i = first; i < first + count; ++i) {
      const Query& query = cell_.queries[i];
      switch (way_.kind) {
        case Way::Kind::query: sum += query_of(query).distance; break;
        case Way::Kind::distance_jacobian:
          sum += distance_jacobian(query.X_WA, query.X_WB, values_[i]).sum();
          break;
        case Way::Kind::estimator: sum += derivative_of(i).separation_jacobian(0, 6); break;
      }
    }
    return sum;
  }

  void run_tracked(std::span<double> /*nanoseconds*/) override {}

  Answer answer(int query) override {
    if (way_.kind != Way::Kind::estimator) return {};
    return {.separation_jacobian = derivative_of(query).separation_jacobian.rightCols<6>()};
  }

 private:
  const Family& family_;
  const Cell& cell_;
  Way way_;
  std::vector<Distance> values_;

  Distance query_of(const Query& query) const {
    return distance(family_.a[query.pair], query.X_WA, family_.b[query.pair], query.X_WB);
  }
  DistanceDerivative derivative_of(int i) const {
    const Query& query = cell_.queries[i];
    return distance_derivative(family_.a[query.pair], query.X_WA, family_.b[query.pair], query.X_WB,
                               {.estimator = way_.estimator, .value = &values_[i]});
  }
};

class DerivativeLibrary : public Library {
 public:
  explicit DerivativeLibrary(const Way& way) : way_(way) {}
  std::string name() const override { return way_.name; }
  void load(const Family& family) override { family_ = family; }
  std::vector<std::unique_ptr<Side>> sides(const Cell& cell) override {
    std::vector<std::unique_ptr<Side>> sides;
    const bool has_vertices = family_.a[0].kind() == ShapeKind::convex;
    if (has_vertices || !std::holds_alternative<Gumbel>(way_.estimator))
      sides.push_back(std::make_unique<DerivativeSide>(family_, cell, way_));
    return sides;
  }

 private:
  Way way_;
  Family family_;
};

}  // namespace

std::vector<std::unique_ptr<Library>> make_derivatives() {
  using Kind = Way::Kind;
  std::vector<std::unique_ptr<Library>> libraries;
  for (const Way& way :
       {Way{"query", Kind::query}, Way{"distance jacobian", Kind::distance_jacobian},
        Way{"exact", Kind::estimator, Exact{}}, Way{"gumbel", Kind::estimator, Gumbel{}},
        Way{"gaussian", Kind::estimator, Gaussian{}},
        Way{"zeroth order", Kind::estimator, ZerothOrder{}},
        Way{"finite differences", Kind::estimator, FiniteDifference{}}})
    libraries.push_back(std::make_unique<DerivativeLibrary>(way));
  return libraries;
}

}  // namespace tactum::compare
