// Trials of predictions at more points than are in hand at once (16384), so that memory can end between two pieces: by
// models of each form, by what was saved for prediction only, and by a classifier.
#include <cmath>

#include "faults/trials.hpp"
#include "support/model.hpp"
#include "support/saved.hpp"

namespace faults {
namespace {

using support::Kernel;
using support::Model;

constexpr int64_t n = 6, m = 2 * 16384 + 100;

struct InPieces {
  Model model;
  support::Handle predictor;
  freeridge_classifier* classifier = nullptr;
  std::vector<double> points, out = std::vector<double>(static_cast<std::size_t>(m), sentinel<double>());

  InPieces(const Kernel& kernel, freeridge_route route) : model(kernel) {
    support::Matrix x(n, 1), y(n, 1);
    for (int64_t i = 0; i < n; ++i) {
      x(i, 0) = static_cast<double>(i);
      y(i, 0) = std::sin(x(i, 0));
    }
    for (int64_t i = 0; i < m; ++i) points.push_back(1e-4 * static_cast<double>(i));
    model.data(x, y).route(route);
    if (route == FREERIDGE_ROUTE_LANDMARK)
      support::check(freeridge_set_landmarks(model.get(), 3, nullptr), "freeridge_set_landmarks");
    model.factorize().lambda(0.5);
    predictor = support::loaded(support::saved_predictor(model.get()));

    const std::vector<double> labels = {-1, 1, -1, -1, 1, 1};
    support::check(freeridge_classifier_create(kernel.get(), FREERIDGE_LOSS_LOGISTIC, &classifier),
                   "freeridge_classifier_create");
    support::check(freeridge_classifier_set_data(classifier, support::at(x), labels.data()),
                   "freeridge_classifier_set_data");
    support::check(freeridge_classifier_fit(classifier, 0.5), "freeridge_classifier_fit");
  }
  InPieces(const InPieces&) = delete;
  ~InPieces() { freeridge_classifier_destroy(classifier); }

  freeridge_status predict(const freeridge_model* by) {
    return freeridge_predict(by, FREERIDGE_COL_MAJOR, m, points.data(), m, out.data(), m);
  }
  Bytes take() {
    Bytes bytes;
    append(bytes, out.data(), out.size());
    std::fill(out.begin(), out.end(), sentinel<double>());
    return bytes;
  }
};

void add(Scenarios& all, const char* name, const std::string& about, Kernel (*kernel)(), freeridge_route route,
         freeridge_status (*call)(InPieces&)) {
  all.push_back({name, "pieces_" + about, true,
                 [=] {
                   auto own = std::make_shared<InPieces>(kernel(), route);
                   return Trial{[=] { return call(*own); }, [=] { return own->take(); },
                                [=] {
                                  Bytes bytes;
                                  append(bytes, own->model.loo().values.data(), n);
                                  return bytes;
                                }};
                 },
                 true, 50});
}

Kernel gaussian() {
  return Kernel::gaussian(1.5);
}
Kernel linear() {
  return Kernel::linear();
}

}  // namespace

void add_in_pieces(Scenarios& all) {
  const auto predict = [](InPieces& own) { return own.predict(own.model.get()); };
  add(all, "freeridge_predict", "spectral", gaussian, FREERIDGE_ROUTE_SPECTRAL, predict);
  add(all, "freeridge_predict", "landmark", gaussian, FREERIDGE_ROUTE_LANDMARK, predict);
  add(all, "freeridge_predict", "primal", linear, FREERIDGE_ROUTE_PRIMAL, predict);
  add(all, "freeridge_predict", "predictor", gaussian, FREERIDGE_ROUTE_SPECTRAL,
      [](InPieces& own) { return own.predict(own.predictor.get()); });
  for (const bool is_linear : {false, true})
    add(all, "freeridge_classifier_predict", is_linear ? "linear" : "gaussian", is_linear ? linear : gaussian,
        FREERIDGE_ROUTE_AUTO, [](InPieces& own) {
          return freeridge_classifier_predict(own.classifier, support::at(FREERIDGE_COL_MAJOR, m, 1, own.points.data()),
                                              own.out.data(), nullptr);
        });
}

}  // namespace faults
