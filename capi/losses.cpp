// The C layer, other losses: each call checks its arguments and hands over to the core, behind the exception wall.
#include <algorithm>

#include "capi/points.hpp"
#include "capi/saving.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_classifier_create(const freeridge_kernel* kernel, freeridge_loss loss,
                                             freeridge_classifier** out) {
  return guarded(__func__, [&] {
    const KernelPtr& inner = required("kernel", kernel).kernel;
    require_one_of("loss", loss, {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE});
    required("out", out);
    *out = new freeridge_classifier{Classifier(inner, static_cast<Loss>(loss))};
  });
}

void freeridge_classifier_destroy(freeridge_classifier* classifier) {
  delete classifier;
}

freeridge_status freeridge_classifier_set_data(freeridge_classifier* classifier, const freeridge_points* points,
                                               const double* y) {
  return guarded(__func__, [&] {
    Classifier& c = classifier_of(classifier);
    const GivenPoints given("points", points);
    given.refuse_unpenalised(no_effects_of_classifiers);
    if (given.read())
      fail(Status::invalid_argument, "points.reader is not NULL, but a classifier needs all rows in memory");
    c.set_data(given.in_memory().x, &required("y", y));
  });
}

freeridge_status freeridge_classifier_set_weights(freeridge_classifier* classifier, const double* weights) {
  return guarded(__func__, [&] { classifier_of(classifier).set_weights(weights); });
}

freeridge_status freeridge_classifier_set_progress(freeridge_classifier* classifier, freeridge_progress callback,
                                                   void* user) {
  return guarded(__func__, [&] { classifier_of(classifier).set_listener({callback, user}); });
}

freeridge_status freeridge_classifier_memory_required(const freeridge_classifier* classifier, int64_t* bytes) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    required("bytes", bytes);
    *bytes = c.memory_required();
  });
}

freeridge_status freeridge_classifier_fit(freeridge_classifier* classifier, double lambda) {
  return guarded(__func__, [&] { classifier_of(classifier).fit(lambda); });
}

freeridge_status freeridge_classifier_predict(const freeridge_classifier* classifier, const freeridge_points* points,
                                              double* decision, double* probability) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    const GivenPoints given("points", points);
    given.refuse_unpenalised(no_effects_of_classifiers);
    c.require_fitted();
    given.require_columns(c.d());
    given.each(c.listener(), [&](Index first, const Points& at) {
      c.predict(at.x, decision == nullptr ? nullptr : decision + first,
                probability == nullptr ? nullptr : probability + first);
    });
  });
}

freeridge_status freeridge_classifier_loo(const freeridge_classifier* classifier, double* decision) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    report_undefined(c.loo(&required("decision", decision)));
  });
}

freeridge_status freeridge_classifier_get_coefficients(const freeridge_classifier* classifier, double* c, double* b) {
  return guarded(__func__, [&] { classifier_of(classifier).coefficients(c, b); });
}

freeridge_status freeridge_classifier_get_convergence(const freeridge_classifier* classifier, double* objective,
                                                      int64_t* iterations, double* stationarity, double* dual,
                                                      double* gap) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    c.convergence(objective, iterations, stationarity);
    report_undefined(c.duality(dual, gap));
  });
}

freeridge_status freeridge_classifier_get_support(const freeridge_classifier* classifier, int64_t* count, int64_t* rows,
                                                  double* margin) {
  return guarded(__func__, [&] { classifier_of(classifier).support(&required("count", count), rows, margin); });
}

freeridge_status freeridge_classifier_get_kernel(const freeridge_classifier* classifier, freeridge_kernel** out) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    freeridge_kernel*& to = required("out", out);
    to = new freeridge_kernel{c.kernel()};
  });
}

freeridge_status freeridge_classifier_get_weights(const freeridge_classifier* classifier, double* weights) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    required("weights", weights);
    const Span<const double> given = c.weights();
    std::fill_n(weights, c.n(), 1.0);
    std::ranges::copy(given, weights);
  });
}

freeridge_status freeridge_classifier_get_dimensions(const freeridge_classifier* classifier, int64_t* n, int64_t* d) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    const Index rows = c.n();
    if (n != nullptr) *n = rows;
    if (d != nullptr) *d = c.d();
  });
}

freeridge_status freeridge_classifier_get_lambda(const freeridge_classifier* classifier, double* lambda) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    required("lambda", lambda);
    *lambda = c.lambda();
  });
}

freeridge_status freeridge_classifier_save(const freeridge_classifier* classifier, const char* path) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    save_to_file(path, SavedKind::classifier, c.listener(), [&](ByteWriter& out) { c.save(out); });
  });
}

freeridge_status freeridge_classifier_save_to_memory(const freeridge_classifier* classifier, int64_t size, void* bytes,
                                                     int64_t* length) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    hand_out_bytes(size, bytes, length, SavedKind::classifier, [&](ByteWriter& out) { c.save(out); });
  });
}

freeridge_status freeridge_classifier_load(const char* path, freeridge_classifier** out) {
  return guarded(__func__, [&] {
    checked_path(path);
    required("out", out);
    *out = new freeridge_classifier{load_from_file(path, Classifier::load)};
  });
}

freeridge_status freeridge_classifier_load_from_memory(const void* bytes, int64_t size, freeridge_classifier** out) {
  return guarded(__func__, [&] {
    const MemorySource source = checked_bytes(bytes, size);
    required("out", out);
    *out = new freeridge_classifier{Classifier::load(source)};
  });
}
