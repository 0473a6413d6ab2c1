// Trials of the streaming calls: an accumulator with few rows, which it keeps, and one with a reduced block behind it.
#include <optional>

#include "capi/support/sample.hpp"
#include "faults/directory.hpp"
#include "support/accumulator.hpp"
#include "support/random.hpp"

namespace faults {
namespace {

using support::Accumulator;

constexpr int64_t d = 3, t = 2, few = 15, many = 1300, count = 3;

struct Stream {
  support::Kernel kernel = oracle::make_kernel(oracle::KernelSpec::gaussian(1.0));
  support::Matrix x, y;
  support::Vector weights;
  std::vector<int64_t> start;  // x as a CSC matrix
  std::vector<int32_t> index;
  Accumulator rows, others;
  std::vector<double> lambdas = {0, 0.5, 2, 4};
  std::vector<double> out, moments = std::vector<double>(5 * count * t), more_moments = moments;
  std::vector<int32_t> flags = std::vector<int32_t>(3 * t, sentinel<int32_t>());
  std::optional<Directory> directory;
  Bytes saved, more, inout;
  int64_t number = sentinel<int64_t>();
  freeridge_accumulator* made = nullptr;
  freeridge_model* predictor = nullptr;

  explicit Stream(int64_t n)
      : rows(d, t, true), others(d, t, true), out(static_cast<std::size_t>(n * count * t), sentinel<double>()) {
    support::Random random(9);
    x = random.uniform_matrix(n, d, -1.0, 1.0);
    y = random.uniform_matrix(n, t, -1.0, 1.0);
    for (int64_t i = 0; i < n; ++i) weights.push_back(1.0 + 0.1 * static_cast<double>(i % 7));
    start = sample::starts(n, d);
    index = sample::places(n, d);
    support::check(add(rows.get()), "freeridge_accumulator_add");
    support::check(add(others.get()), "freeridge_accumulator_add");
  }
  Stream(const Stream&) = delete;
  ~Stream() {
    freeridge_accumulator_destroy(made);
    freeridge_destroy(predictor);
  }

  freeridge_status add(freeridge_accumulator* to) const {
    return freeridge_accumulator_add(to, FREERIDGE_COL_MAJOR, x.rows, x.values.data(), x.rows, y.values.data(), x.rows,
                                     weights.data());
  }
  freeridge_status add_sparse(freeridge_accumulator* to) const {
    return freeridge_accumulator_add_sparse(to, FREERIDGE_CSC, x.rows, start.data(), index.data(), x.values.data(),
                                            FREERIDGE_COL_MAJOR, y.values.data(), x.rows, weights.data());
  }
  Bytes take() {
    Bytes bytes;
    append(bytes, out.data(), out.size());
    append(bytes, flags.data(), flags.size());
    append(bytes, number);
    append(bytes, moments.data(), moments.size());
    append(bytes, saved.data(), saved.size());
    append(bytes, inout.data(), inout.size());
    if (predictor != nullptr) {
      double lambda[t], w[d * t], b[t];
      support::check(freeridge_get_lambda(predictor, lambda), "freeridge_get_lambda");
      support::check(freeridge_get_hyperplane(predictor, w, d), "freeridge_get_hyperplane");
      support::check(freeridge_get_intercept(predictor, b), "freeridge_get_intercept");
      append(bytes, lambda);
      append(bytes, w);
      append(bytes, b);
    }
    if (directory) {
      const Bytes files = directory->take();
      append(bytes, files.data(), files.size());
    }
    std::fill(out.begin(), out.end(), sentinel<double>());
    std::fill(flags.begin(), flags.end(), sentinel<int32_t>());
    std::fill(saved.begin(), saved.end(), static_cast<unsigned char>(7));
    number = sentinel<int64_t>();
    return bytes;
  }
  Bytes state() const {
    Bytes bytes = rows.save();
    const support::Planes planes = rows.solve({0.25});
    append(bytes, planes.w.values.data(), planes.w.values.size());
    return bytes;
  }
};

}  // namespace

void add_accumulators(Scenarios& all) {
  const auto add = [&](const char* name, bool repeatable, freeridge_status (*call)(Stream&),
                       void (*prepare)(Stream&) = nullptr, const char* about = "") {
    const bool in_pieces = std::string(name).rfind("freeridge_accumulator_loo", 0) == 0;
    for (const int64_t n : {few, many})
      all.push_back(
          {name, (n == few ? "few_rows" : "many_rows") + std::string(about), repeatable,
           [=] {
             auto own = std::make_shared<Stream>(n);
             if (prepare) prepare(*own);
             return Trial{[=] { return call(*own); }, [=] { return own->take(); }, [=] { return own->state(); }};
           },
           in_pieces});
  };
  // What is made is compared by what it saves.
  const auto add_maker = [&](const char* name, freeridge_status (*call)(Stream&)) {
    all.push_back({name, "plain", false, [=] {
                     auto own = std::make_shared<Stream>(few);
                     own->saved = own->rows.save();
                     own->directory.emplace().write(own->saved);
                     return Trial{
                         [=] { return call(*own); },
                         [=] {
                           Bytes bytes;
                           int64_t length = 0;
                           if (own->made == nullptr) return bytes;
                           support::check(freeridge_accumulator_save_to_memory(own->made, 0, nullptr, &length), "save");
                           bytes.resize(static_cast<std::size_t>(length));
                           support::check(
                               freeridge_accumulator_save_to_memory(own->made, length, bytes.data(), &length), "save");
                           return bytes;
                         }};
                   }});
  };
  add_maker("freeridge_accumulator_create", [](Stream& s) { return freeridge_accumulator_create(d, t, 1, &s.made); });
  add_maker("freeridge_accumulator_create_landmarks", [](Stream& s) {
    return freeridge_accumulator_create_landmarks(s.kernel.get(), FREERIDGE_COL_MAJOR, 4, d, s.x.values.data(),
                                                  s.x.rows, t, 1, FREERIDGE_REDUCTION_AUTO, &s.made);
  });
  add_maker("freeridge_accumulator_load",
            [](Stream& s) { return freeridge_accumulator_load(s.directory->file.c_str(), &s.made); });
  add_maker("freeridge_accumulator_load_from_memory", [](Stream& s) {
    return freeridge_accumulator_load_from_memory(s.saved.data(), static_cast<int64_t>(s.saved.size()), &s.made);
  });
  add(
      "freeridge_accumulator_destroy", false,
      [](Stream& s) -> freeridge_status {
        freeridge_accumulator_destroy(s.made);
        s.made = nullptr;
        return FREERIDGE_OK;
      },
      [](Stream& s) {
        support::check(freeridge_accumulator_create(d, t, 1, &s.made), "freeridge_accumulator_create");
        support::check(s.add(s.made), "freeridge_accumulator_add");
      });
  add("freeridge_accumulator_add", false, [](Stream& s) { return s.add(s.rows.get()); });
  add("freeridge_accumulator_add_sparse", false, [](Stream& s) { return s.add_sparse(s.rows.get()); });
  add("freeridge_accumulator_merge", false,
      [](Stream& s) { return freeridge_accumulator_merge(s.rows.get(), s.others.get()); });
  add("freeridge_accumulator_set_unpenalised", false,
      [](Stream& s) { return freeridge_accumulator_set_unpenalised(s.rows.get(), 1); });
  add("freeridge_accumulator_compact", false, [](Stream& s) { return freeridge_accumulator_compact(s.rows.get()); });
  add("freeridge_accumulator_prepare", false, [](Stream& s) { return freeridge_accumulator_prepare(s.rows.get()); });
  add(
      "freeridge_accumulator_merge_bytes", false,
      [](Stream& s) {
        return freeridge_accumulator_merge_bytes(s.more.data(), static_cast<int64_t>(s.more.size()), s.inout.data());
      },
      [](Stream& s) {
        support::check(freeridge_accumulator_compact(s.others.get()), "freeridge_accumulator_compact");
        s.inout = s.more = s.others.save();
      });
  add("freeridge_accumulator_get_dimensions", true, [](Stream& s) {
    return freeridge_accumulator_get_dimensions(s.rows.get(), &s.number, nullptr, nullptr, s.out.data());
  });
  add("freeridge_accumulator_has_intercept", true,
      [](Stream& s) { return freeridge_accumulator_has_intercept(s.rows.get(), s.flags.data()); });
  add("freeridge_accumulator_set_progress", true,
      [](Stream& s) { return freeridge_accumulator_set_progress(s.rows.get(), nullptr, nullptr); });
  add("freeridge_accumulator_memory_required", true,
      [](Stream& s) { return freeridge_accumulator_memory_required(s.rows.get(), &s.number); });
  // A new accumulator each: the first answer pays for what the others share.
  add("freeridge_accumulator_solve", false, [](Stream& s) {
    return freeridge_accumulator_solve(s.rows.get(), count, s.lambdas.data(), s.out.data(), d, s.out.data() + 30);
  });
  const auto score = [](Stream& s) {
    return freeridge_accumulator_score(s.rows.get(), FREERIDGE_REML, count, s.lambdas.data() + 1, s.out.data(), count);
  };
  add("freeridge_accumulator_score", false, score);
  add(
      "freeridge_accumulator_score", false, score, [](Stream& s) { s.lambdas[1] = 0; }, "_undefined");
  add("freeridge_accumulator_objective", false, [](Stream& s) {
    return freeridge_accumulator_objective(s.rows.get(), count, s.lambdas.data(), s.out.data(), nullptr,
                                           s.out.data() + count * t, count);
  });
  add("freeridge_accumulator_predictor", false,
      [](Stream& s) { return freeridge_accumulator_predictor(s.rows.get(), s.lambdas.data() + 1, &s.predictor); });
  add("freeridge_accumulator_lambda_grid", false,
      [](Stream& s) { return freeridge_accumulator_lambda_grid(s.rows.get(), count, s.out.data()); });
  const auto select = [](Stream& s) {
    return freeridge_accumulator_select_lambda(s.rows.get(), FREERIDGE_GCV, 0, 0, s.out.data(), s.out.data() + t,
                                               s.flags.data(), s.out.data() + 2 * t, s.flags.data() + t,
                                               s.flags.data() + 2 * t);
  };
  add("freeridge_accumulator_select_lambda", false, select);
  const auto loo = [](Stream& s) {
    return freeridge_accumulator_loo(s.rows.get(), FREERIDGE_COL_MAJOR, s.x.rows, s.x.values.data(), s.x.rows,
                                     s.y.values.data(), s.x.rows, s.weights.data(), count, s.lambdas.data(),
                                     s.out.data(), s.x.rows);
  };
  add("freeridge_accumulator_loo", false, loo);
  // A feature that row 0 alone has: its leverage is one.
  const auto alone = [](Stream& s) {
    std::fill_n(s.x.values.begin(), s.x.rows, 0.0);
    s.x.values[0] = 1;
    s.rows = Accumulator(d, t, true);
    support::check(s.add(s.rows.get()), "freeridge_accumulator_add");
  };
  add("freeridge_accumulator_loo", false, loo, alone, "_undefined");
  const auto loo_sparse = [](Stream& s) {
    return freeridge_accumulator_loo_sparse(s.rows.get(), FREERIDGE_CSC, s.x.rows, s.start.data(), s.index.data(),
                                            s.x.values.data(), FREERIDGE_COL_MAJOR, s.y.values.data(), s.x.rows,
                                            s.weights.data(), count, s.lambdas.data(), s.out.data(), s.x.rows);
  };
  add("freeridge_accumulator_loo_sparse", false, loo_sparse);
  add("freeridge_accumulator_loo_sparse", false, loo_sparse, alone, "_undefined");
  add("freeridge_accumulator_loo_moments", false, [](Stream& s) {
    return freeridge_accumulator_loo_moments(s.rows.get(), FREERIDGE_COL_MAJOR, s.x.rows, s.x.values.data(), s.x.rows,
                                             s.y.values.data(), s.x.rows, s.weights.data(), count, s.lambdas.data(),
                                             s.out.data());
  });
  add("freeridge_accumulator_loo_moments_sparse", false, [](Stream& s) {
    return freeridge_accumulator_loo_moments_sparse(
        s.rows.get(), FREERIDGE_CSC, s.x.rows, s.start.data(), s.index.data(), s.x.values.data(), FREERIDGE_COL_MAJOR,
        s.y.values.data(), s.x.rows, s.weights.data(), count, s.lambdas.data(), s.out.data());
  });
  // Three rows with an error at each lambda.
  const auto moments = [](Stream& s) {
    for (int64_t k = 0; k < count * t; ++k)
      std::ranges::copy(std::initializer_list<double>{3, 2.5, 2.0 + static_cast<double>((k - 2) * (k - 2)), 0.5, 0},
                        s.moments.begin() + 5 * k);
    s.more_moments = s.moments;
  };
  add(
      "freeridge_moments_join", false,
      [](Stream& s) { return freeridge_moments_join(count * t, s.more_moments.data(), s.moments.data()); }, moments);
  add(
      "freeridge_moments_score", true,
      [](Stream& s) {
        return freeridge_moments_score(count, s.lambdas.data(), t, s.moments.data(), s.out.data(),
                                       s.out.data() + count * t, count);
      },
      moments);
  add(
      "freeridge_moments_select_lambda", true,
      [](Stream& s) {
        return freeridge_moments_select_lambda(count, s.lambdas.data() + 1, t, s.moments.data(), s.out.data(),
                                               s.out.data() + t, s.out.data() + 2 * t, s.flags.data(),
                                               s.out.data() + 3 * t, s.flags.data() + t, s.out.data() + 4 * t);
      },
      moments);
  add("freeridge_accumulator_squared_errors", false, [](Stream& s) {
    return freeridge_accumulator_squared_errors(s.rows.get(), FREERIDGE_COL_MAJOR, s.x.rows, s.x.values.data(),
                                                s.x.rows, s.y.values.data(), s.x.rows, s.weights.data(), count,
                                                s.lambdas.data(), s.out.data(), s.out.data() + 1, count);
  });
  add("freeridge_accumulator_squared_errors_sparse", false, [](Stream& s) {
    return freeridge_accumulator_squared_errors_sparse(
        s.rows.get(), FREERIDGE_CSC, s.x.rows, s.start.data(), s.index.data(), s.x.values.data(), FREERIDGE_COL_MAJOR,
        s.y.values.data(), s.x.rows, s.weights.data(), count, s.lambdas.data(), s.out.data(), s.out.data() + 1, count);
  });
  add(
      "freeridge_accumulator_save", true,
      [](Stream& s) { return freeridge_accumulator_save(s.rows.get(), s.directory->file.c_str()); },
      [](Stream& s) { s.directory.emplace(); });
  add(
      "freeridge_accumulator_save_to_memory", true,
      [](Stream& s) {
        return freeridge_accumulator_save_to_memory(s.rows.get(), static_cast<int64_t>(s.saved.size()), s.saved.data(),
                                                    &s.number);
      },
      [](Stream& s) { s.saved = s.rows.save(); });
}

}  // namespace faults
