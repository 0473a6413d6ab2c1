// dlib, one task a process: system_dlib task=T data=FOLDER ...
//
//   linear    rr_trainer: the best of all lambdas by leave-one-out (dlib penalises the intercept, too)
//   kernel    krr_trainer, Gaussian kernel sigma=S, as many basis vectors as points, else as linear
//   predict   the same kernel: n coefficients (dlib's cost does not depend on them) at the points of the folder points=
// dlib wants each point as a matrix of its own; these are made before the clock starts, and are not counted as memory.
#include <dlib/revision.h>
#include <dlib/svm.h>

#include "support.hpp"

namespace {

using Sample = dlib::matrix<double, 0, 1>;
using Gaussian = dlib::radial_basis_kernel<Sample>;

std::vector<Sample> samples_of(const bench::Data& data) {
  std::vector<Sample> samples(data.y.size(), Sample(data.d));
  for (std::int64_t i = 0; i < data.n; ++i)
    for (std::int64_t j = 0; j < data.d; ++j)
      samples[static_cast<std::size_t>(i)](j) = data.x[static_cast<std::size_t>(i + j * data.n)];
  return samples;
}

template <class Action>
void timed(const bench::Arguments& arguments, const Action& action) {
  std::vector<double> taken;
  const bench::Memory memory;
  for (std::int64_t repetition = arguments.whole("repetitions", 1); repetition > 0; --repetition)
    taken.push_back(bench::seconds(action));
  memory.tell();
  bench::tell_numbers("seconds.total", taken);
}

template <class Trainer>
void train(const bench::Arguments& arguments, const bench::Data& data, Trainer trainer) {
  const std::vector<Sample> samples = samples_of(data);
  trainer.use_regression_loss_for_loo_cv();
  trainer.set_search_lambdas(dlib::mat(data.lambdas));
  double lambda = 0;
  timed(arguments, [&] {
    std::vector<double> left_out;
    trainer.train(samples, data.y, left_out, lambda);
  });
  bench::tell_numbers("lambda", {lambda});
}

void predict(const bench::Arguments& arguments, const bench::Data& data, const Gaussian& kernel) {
  const std::vector<Sample> points = samples_of(bench::read_data(arguments.text("points")));
  const dlib::decision_function<Gaussian> function(dlib::mat(data.y), 0.0, kernel, dlib::mat(samples_of(data)));
  std::vector<double> out(points.size());
  timed(arguments, [&] { std::transform(points.begin(), points.end(), out.begin(), function); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const std::string task = arguments.text("task");
  bench::tell("version", "dlib " + std::to_string(DLIB_MAJOR_VERSION) + "." + std::to_string(DLIB_MINOR_VERSION));
  bench::tell_blas();
  if (task == "version") return 0;
  const bench::Data data = bench::read_data(arguments.text("data"));
  if (task == "linear") {
    train(arguments, data, dlib::rr_trainer<dlib::linear_kernel<Sample>>());
    return 0;
  }
  const double sigma = arguments.number("sigma");
  const Gaussian kernel(1 / (sigma * sigma));
  if (task == "predict") {
    predict(arguments, data, kernel);
  } else {
    dlib::krr_trainer<Gaussian> trainer;
    trainer.set_kernel(kernel);
    trainer.set_max_basis_size(static_cast<unsigned long>(data.n));
    train(arguments, data, trainer);
  }
  return 0;
}
