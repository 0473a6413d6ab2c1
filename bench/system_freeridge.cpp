// freeridge from C, one task a process: system_freeridge task=T data=FOLDER kernel=TEXT repetitions=K ...
//
//   scores    factorize, and exact leave-one-out scores at all lambdas
//   select    factorize, and the lambda that is best by leave-one-out
//   both      factorize, scores, select: for growth
//   one       factorize, one lambda, its exact leave-one-out errors
//   predict   at the points of the folder points=; not counted: the fit
//   learn     the kernel and lambda by REML; `deviation`: the root mean square of held-out errors, of the folder points=
//   package   what freeridge() of the R package asks of the library for a fit with lambda by leave-one-out
// Options: route=NAME, reduction=qr|gram, landmarks=R (the first R rows).
// Times start at the data in memory and end at the answer; each repetition has a model of its own.
#include <cmath>

#include "handles.hpp"
#include "support.hpp"

namespace {

using bench::check;

class Task {
 public:
  explicit Task(const bench::Arguments& arguments)
      : arguments_(arguments),
        data_(bench::read_data(arguments.text("data"))),
        kernel_(bench::make_kernel(arguments.text("kernel").c_str())),
        scores_(data_.lambdas.size()),
        errors_(data_.y.size()) {
    for (std::int64_t i = 0; i < arguments.whole("landmarks", 0); ++i) landmarks_.push_back(i);
  }

  // False: this library does not have the route asked for.
  bool available() const {
    const bench::Model model = make_model();
    return freeridge_set_parameter(model.get(), FREERIDGE_ROUTE, route()) == FREERIDGE_OK;
  }

  void run(const std::string& task) {
    if (task == "predict") return predict();
    if (task == "learn") return learn();
    const bench::Memory memory;
    for (std::int64_t repetition = arguments_.whole("repetitions", 1); repetition > 0; --repetition) once(task);
    memory.tell();
    for (const auto& [part, seconds] : parts_) bench::tell_numbers("seconds." + part, seconds);
    if (task == "scores") bench::tell_numbers("scores", scores_);
    if (task == "select") bench::tell("within_one_percent", within_one_percent_ ? "yes" : "no");
    if (lambda_ > 0) bench::tell_numbers("lambda", {lambda_});
    bench::tell("route", route_);
    bench::tell_numbers("required", {static_cast<double>(required_)});
  }

 private:
  freeridge_route route() const {
    const std::string name = arguments_.text("route", "auto");
    for (const auto& each : bench::routes)
      if (name == each.name) return each.route;
    bench::stop("no such route: " + name);
  }

  bench::Model make_model() const {
    return bench::make_model(kernel_, data_.n, data_.d, data_.x.data(), data_.y.data());
  }

  bench::Model prepared_model() const {
    bench::Model model = make_model();
    check(freeridge_set_parameter(model.get(), FREERIDGE_ROUTE, route()));
    const std::string reduction = arguments_.text("reduction", "auto");
    if (reduction == "qr") check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, FREERIDGE_REDUCTION_QR));
    if (reduction == "gram") check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, FREERIDGE_REDUCTION_GRAM));
    if (!landmarks_.empty())
      check(freeridge_set_landmarks(model.get(), static_cast<std::int64_t>(landmarks_.size()), landmarks_.data()));
    return model;
  }

  void score(const bench::Model& model) {
    const auto count = static_cast<std::int64_t>(scores_.size());
    check(freeridge_score(model.get(), FREERIDGE_LOO, count, data_.lambdas.data(), scores_.data(), nullptr, count));
  }

  void select(const bench::Model& model) {
    double best = 0;
    check(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda_, &best));
  }

  // What the package reads from the model for its fit; see fit_model in rpkg/R/fit.R.
  void read_fit(const bench::Model& model) {
    double lambda = 0, score = 0, error = 0;
    freeridge_search search{};
    search.size = sizeof search;
    search.score = &score, search.standard_error = &error, search.one_se_lambda = &lambda;
    check(freeridge_get_search(model.get(), &search));
    check(freeridge_get_fitted(model.get(), errors_.data(), data_.n));
  }

  void once(const std::string& task) {
    bench::Model model;
    const auto part = [&](const char* name, const auto& action) {
      const double taken = bench::seconds(action);
      parts_[name].push_back(taken);
      parts_["total"].back() += taken;
    };
    parts_["total"].push_back(0);
    part("factorize", [&] {
      model = prepared_model();
      if (task == "one") check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_LAMBDAS, 1));
      check(freeridge_factorize(model.get()));
    });
    if (task == "scores" || task == "both") part("score", [&] { score(model); });
    if (task == "select" || task == "both" || task == "package") part("select", [&] { select(model); });
    if (task == "package") part("read", [&] { read_fit(model); });
    if (task == "one") {
      part("loo", [&] {
        check(freeridge_set_lambda(model.get(), 0.1));
        check(freeridge_loo(model.get(), errors_.data(), data_.n));
      });
    }
    route_ = bench::route_name(model);
    check(freeridge_memory_required(model.get(), &required_));
    if (task == "select") within_one_percent_ = is_within_one_percent(model);
  }

  // Whether the score still falls on the way to lambda / 1.01, and rises again beyond 1.01 lambda.
  bool is_within_one_percent(const bench::Model& model) const {
    const double lambdas[4] = {lambda_ / 1.02, lambda_ / 1.01, lambda_ * 1.01, lambda_ * 1.02};
    double scores[4] = {};
    check(freeridge_score(model.get(), FREERIDGE_LOO, 4, lambdas, scores, nullptr, 4));
    return scores[0] > scores[1] && scores[2] < scores[3];
  }

  void learn() {
    const bench::Data points = bench::read_data(arguments_.text("points"));
    std::vector<double> total, out(points.y.size());
    bench::Model model;
    const bench::Memory memory;
    for (std::int64_t repetition = arguments_.whole("repetitions", 1); repetition > 0; --repetition) {
      total.push_back(bench::seconds([&] {
        double score = 0;
        model = prepared_model();
        check(freeridge_select_kernel(model.get(), FREERIDGE_REML, nullptr, 0, data_.n, 1, 0, &score));
      }));
    }
    memory.tell();
    check(
        freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, points.n, points.x.data(), points.n, out.data(), points.n));
    double squares = 0;
    for (std::size_t i = 0; i < out.size(); ++i) squares += (out[i] - points.y[i]) * (out[i] - points.y[i]);
    bench::tell_numbers("seconds.total", total);
    bench::tell_numbers("deviation", {std::sqrt(squares / static_cast<double>(out.size()))});
    bench::tell("route", bench::route_name(model));
  }

  void predict() {
    const bench::Data points = bench::read_data(arguments_.text("points"));
    std::vector<double> out(points.y.size());
    const bench::Model model = prepared_model();
    check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_LAMBDAS, 1));
    check(freeridge_factorize(model.get()));
    check(freeridge_set_lambda(model.get(), 0.1));
    route_ = bench::route_name(model);
    std::vector<double> total;
    const bench::Memory memory;
    for (std::int64_t repetition = arguments_.whole("repetitions", 1); repetition > 0; --repetition) {
      total.push_back(bench::seconds([&] {
        check(freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, points.n, points.x.data(), points.n, out.data(),
                                points.n));
      }));
    }
    memory.tell();
    bench::tell_numbers("seconds.total", total);
    bench::tell_numbers("scores", out);
    bench::tell("route", route_);
  }

  const bench::Arguments& arguments_;
  const bench::Data data_;
  const bench::Kernel kernel_;
  std::vector<std::int64_t> landmarks_;
  std::vector<double> scores_, errors_;
  std::map<std::string, std::vector<double>> parts_;
  std::string route_;
  std::int64_t required_ = 0;
  double lambda_ = 0;
  bool within_one_percent_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const std::string task = arguments.text("task");
  bench::tell("version", freeridge_build_info());
  bench::tell_blas();
  if (task == "version") return 0;
  Task instance(arguments);
  if (instance.available()) {
    instance.run(task);
  } else {
    bench::tell("absent", "the route " + arguments.text("route") + " is not in this library");
  }
  return 0;
}
