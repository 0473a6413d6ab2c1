// The text follows Kernel::evaluate operation by operation: sums in the order of the columns, with a fused product where
// the core fuses; exp of minus the same argument; sums and products in the order of their parts. A kernel has one
// variable v0, v1, ... for its value. The terms of an additive or a multiplicative kernel that differ in the place of their columns alone
// are one loop, with the loop variable t1, t2, ... in the places.
#include "libcore/device/kernel_source.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr const char* pi = "(real)3.141592653589793";
constexpr int ordinary = 400;  // powers of two, as in radial.cpp: lengths whose squares are far within the range

class Writer {
 public:
  explicit Writer(Index d) : out_{{}, {}, d, {}} {}

  KernelSource write(const Kernel& kernel) {
    const std::string value = value_of(kernel, {{}, consecutive(0, out_.features), ""});
    out_.text = text(
        "FREERIDGE_FUNCTION real kernel_value(const real* x, integer sx, const real* z, integer sz, const real* p) {\n",
        body_, "return ", value, ";\n}\n");
    return std::move(out_);
  }

 private:
  // What a kernel reads of the points: these columns, moved by loop variables, divided by a chain of divisors.
  struct Columns {
    Array<Array<double>> divisors;
    Array<Index> which;
    std::string moved;  // " + t1"

    Columns divided_by(Span<const double> more) const {
      Columns out = *this;
      out.divisors.emplace_back(more.begin(), more.end());
      return out;
    }
  };

  // Writes the statements that compute a kernel; answers with the variable of its value.
  std::string value_of(const Kernel& kernel, const Columns& at) {
    const std::string_view name = kernel.name();
    const Span<const KernelPtr> parts = kernel.parts();
    if (name == "scaled") return value_of(*parts[0], at.divided_by(kernel.parameter(0).values));
    if (name == "gaussian" || name == "laplacian" || name == "matern") return radial(kernel, at);
    if (name == "polynomial") return power(kernel, at);
    if (name == "additive" || name == "multiplicative") return of_terms(kernel, at);
    if (name == "periodic" || name == "sphere") return of_other_distance(kernel, at);
    if (name == "constant") return "1";
    std::string value = variable();
    add("real ", value, " = 0;\n");
    if (name == "linear") {
      each_column(at, text(value, " = fma(a, b, ", value, ");"));
    } else if (name == "sum") {
      const Index weight = numbers_of(kernel, kernel.parameter(0).values);
      for (Index i = 0; i < std::ssize(parts); ++i)
        add(value, " = ", value, " + p[", weight + i, "] * ", value_of(*parts[i], at), ";\n");
    } else if (name == "product") {
      for (Index i = 0; i < std::ssize(parts); ++i)
        add(value, " = ", i == 0 ? "" : text(value, " * "), value_of(*parts[i], at), ";\n");
    } else if (name == "plus one") {
      add(value, " = ", value_of(*parts[0], at), " + 1;\n");
    } else {
      fail(Status::internal, "a device has no text of the kernel ", kernel.name());
    }
    return value;
  }

  std::string radial(const Kernel& kernel, const Columns& at) {
    Columns from = at;
    double length = *kernel.bandwidth();
    if (const int unit = std::ilogb(length); std::abs(unit) > ordinary) {
      from = at.divided_by(Array<double>(out_.features, std::ldexp(1.0, unit)));
      length = std::ldexp(length, -unit);
    }
    std::string value = variable();
    add("real ", value, " = 0;\n");
    each_column(from, text("const real e = a - b; ", value, " = fma(e, e, ", value, ");"));
    return of_distance(kernel, std::move(value), length);
  }

  std::string of_other_distance(const Kernel& kernel, const Columns& at) {
    std::string value = variable();
    add("real ", value, " = 0;\n");
    if (kernel.parameter_count() > 0) {
      const Index period = numbers_of(kernel, kernel.parameter(0).values);
      each_column(at, text("const real t = (a - b) / p[", period, "], s = sin(", pi, " * (t - rint(t))); ", value,
                           " = ", value, " + 4 * (s * s);"));
    } else {
      const auto column = [&](const char* point, Index k) {
        return text(point, "[(", block_of(at.divisors) * out_.features + at.which[k], at.moved, ") * s", point, "]");
      };
      const auto half_sine = [&](const char* name, Index k) {
        add("const real t", name, " = (", column("x", k), " - ", column("z", k), ") / 360, ", name, " = sin(", pi,
            " * (t", name, " - rint(t", name, ")));\n");
      };
      const auto cosine = [&](const char* point) {
        return text("sin(", pi, " / 180 * (90 - fabs(", column(point, 1), ")))");
      };
      add("{\n");
      half_sine("u", 0);
      half_sine("v", 1);
      add(value, " = 4 * (v * v + ", cosine("x"), " * ", cosine("z"), " * (u * u));\n}\n");
    }
    double length = *kernel.parts()[0]->bandwidth();
    if (std::abs(std::ilogb(length)) > ordinary) {
      const int unit = std::clamp(std::ilogb(length), -1000, 1000);
      length = std::ldexp(length, -unit);
      const Index units = std::ssize(out_.numbers);
      out_.numbers.push_back(std::ldexp(1, -unit));
      add(value, " = ", value, " * p[", units, "] * p[", units, "];\n");
    }
    return of_distance(*kernel.parts()[0], std::move(value), length);
  }

  // A kernel of the distance, of the squared distance in `value` and the bandwidth `length`.
  std::string of_distance(const Kernel& kernel, std::string value, double length) {
    const double nu = kernel.name() == std::string_view("matern") ? kernel.parameter(0).values[0] : 0.5;
    const bool squared = kernel.name() == std::string_view("gaussian");
    const double root = nu == 0.5 ? 1 : nu == 1.5 ? 1.7320508075688772 : 2.23606797749979;
    const Index a = numbers_of(kernel, {squared ? 1 / (length * length) : root / length});
    if (squared) {
      add(value, " = exp(-(", value, " * p[", a, "]));\n");
      return value;
    }
    // Beyond 764 the exponential is 0, and its product with a larger number might be NaN.
    add(value, " = fmin(sqrt(", value, ") * p[", a, "], (real)764);\n");
    const std::string by = nu == 0.5   ? ""
                           : nu == 1.5 ? text("(1 + ", value, ") * ")
                                       : text("(1 + (", value, " + ", value, " * ", value, " * (real)(1.0 / 3))) * ");
    add(value, " = ", by, "exp(-", value, ");\n");
    return value;
  }

  std::string power(const Kernel& kernel, const Columns& at) {
    std::string base = variable(), value = variable();
    add("real ", base, " = 0, ", value, " = 1;\n");
    each_column(at, text(base, " = fma(a, b, ", base, ");"));
    const Index i = numbers_of(kernel, {kernel.parameter(1).values[0], kernel.parameter(2).values[0]});
    add(base, " = p[", i, "] * ", base, " + p[", i + 1, "];\n");
    add("for (integer e = ", static_cast<Index>(kernel.parameter(0).values[0]), "; e > 0; e /= 2) { if (e % 2 == 1) ",
        value, " = ", value, " * ", base, "; ", base, " = ", base, " * ", base, "; }\n");
    return value;
  }

  // The mean or the product of the terms, the columns with equal labels or each column by itself.
  std::string of_terms(const Kernel& kernel, const Columns& at) {
    const Span<const double> label = kernel.parameter(0).values;
    Array<Array<Index>> terms;
    for (Index k = 0; k < std::ssize(at.which); ++k) {
      const Index term = label.empty() ? k : static_cast<Index>(label[k]);
      if (term < 0) continue;
      terms.resize(std::max(std::ssize(terms), term + 1));
      terms[term].push_back(at.which[k]);
    }
    const bool is_mean = kernel.name() == std::string_view("additive");
    std::string value = variable();
    const std::string loop = text("t", ++loops_);
    add("real ", value, is_mean ? " = 0;\n" : " = 1;\n");
    const int before = variables_;
    int after = before;
    // The statements of a term, with columns as they follow its first one.
    const auto body_of = [&](const Array<Index>& term) {
      std::string others = std::exchange(body_, {});
      variables_ = before;
      Columns own{at.divisors, term, text(at.moved, " + ", loop)};
      for (Index& column : own.which) column -= term.front();
      add(value, " = ", value, is_mean ? " + " : " * ", value_of(*kernel.parts()[0], own), ";\n");
      after = std::max(after, variables_);
      return std::exchange(body_, std::move(others));
    };
    for (Index first = 0, end = 0; first < std::ssize(terms); first = end) {
      const std::string body = body_of(terms[first]);
      Index step = 1;
      for (end = first + 1; end < std::ssize(terms); ++end) {
        const Index next = terms[end].front() - terms[end - 1].front();
        if ((end > first + 1 && next != step) || body_of(terms[end]) != body) break;
        step = next;
      }
      add("for (integer ", loop, " = ", terms[first].front(), "; ", loop, " <= ", terms[end - 1].front(), "; ", loop,
          " += ", step, ") {\n", body, "}\n");
    }
    variables_ = after;
    --loops_;
    if (is_mean) add(value, " = ", value, " / ", std::ssize(terms), ";\n");
    return value;
  }

  // `statement` for each column, in their order; a and b are the numbers of x and z.
  void each_column(const Columns& at, const std::string& statement) {
    for (Index first = 0, end = 0; first < std::ssize(at.which); first = end) {
      for (end = first + 1; end < std::ssize(at.which) && at.which[end] == at.which[end - 1] + 1;) ++end;
      const Index from = block_of(at.divisors) * out_.features + at.which[first];
      add("for (integer c = ", from, "; c < ", from + end - first, "; ++c) { const real a = x[(c", at.moved,
          ") * sx], b = z[(c", at.moved, ") * sz]; ", statement, " }\n");
    }
  }

  // The block of the points divided like this.
  Index block_of(const Array<Array<double>>& divisors) {
    const auto place = std::ranges::find(out_.blocks, divisors);
    const Index found = place - out_.blocks.begin();
    if (place == out_.blocks.end()) out_.blocks.push_back(divisors);
    return found;
  }

  // The place of a kernel's numbers in p. A kernel that is written several times has one.
  Index numbers_of(const Kernel& kernel, Span<const double> values) {
    const auto [known, is_new] = numbers_.try_emplace(&kernel, std::ssize(out_.numbers));
    if (is_new) out_.numbers.insert(out_.numbers.end(), values.begin(), values.end());
    return known->second;
  }

  std::string variable() { return text("v", variables_++); }
  template <class... Parts>
  void add(const Parts&... parts) {
    body_ += text(parts...);
  }

  KernelSource out_;
  std::string body_;
  int variables_ = 0, loops_ = 0;
  std::map<const Kernel*, Index> numbers_;
};

}  // namespace

void KernelSource::prepare(ConstMatrixView x, MatrixView out) const {
  for (Index b = 0; b < std::ssize(blocks); ++b)
    for (Index k = 0; k < features; ++k) {
      double* const to = out.col(b * features + k);
      std::copy_n(x.col(k), x.rows, to);
      for (const Array<double>& divisors : blocks[b]) passes().divide(to, x.rows, divisors[k], to);
      if (!passes().finite(to, x.rows))
        fail(Status::not_finite, "x divided by the kernel's lengths overflows in column ", k);
    }
}

KernelSource kernel_source(const Kernel& kernel, Index d) {
  return Writer(d).write(kernel);
}

}  // namespace freeridge
