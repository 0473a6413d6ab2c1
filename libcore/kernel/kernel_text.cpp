#include "libcore/kernel/kernel_text.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "libcore/base/memory.hpp"
#include "libcore/kernel/additive.hpp"
#include "libcore/kernel/multiplicative.hpp"
#include "libcore/kernel/other_distance.hpp"

namespace freeridge {
namespace {

constexpr std::size_t small_text = 1 << 20;  // bytes for which the machine's memory is not asked about
constexpr Index nesting_limit = 64;          // nested brackets and kernels: bounds the stack that recursion takes

constexpr std::string_view names[] = {"linear", "polynomial", "gaussian",       "laplacian", "matern",
                                      "scaled", "additive",   "multiplicative", "product",   "periodic",
                                      "sphere", "constant",   "precomputed"};
constexpr const char* kernel_names =
    "linear, polynomial, gaussian, laplacian, matern, scaled, additive, multiplicative, product, periodic, sphere, "
    "constant, precomputed or (";

// Recursive descent, one member for each rule of the grammar.
class Parser {
 public:
  explicit Parser(std::string_view description) : text_(description) {}

  KernelPtr parse() {
    KernelPtr kernel = sum();
    if (!at_end()) expected("+ or the end of the text");
    return kernel;
  }

 private:
  KernelPtr sum() {
    const std::size_t start = position();
    Array<KernelPtr> terms;
    Array<double> weights;
    bool weighted = false;
    do {
      const bool has_weight = starts_number();
      weights.push_back(has_weight ? number() : 1.0);
      if (has_weight) expect("*");
      weighted = weighted || has_weight;
      terms.push_back(kernel());
    } while (accept("+"));
    if (terms.size() == 1 && !weighted) return std::move(terms[0]);
    return made(start, [&] { return sum_kernel(std::move(terms), weights); });
  }

  KernelPtr kernel() {
    const std::size_t start = position();
    if (++depth_ > nesting_limit)
      fail(Status::invalid_argument, "at most ", nesting_limit, " nested kernels were expected, and character ",
           start + 1, " begins one more");
    KernelPtr out;
    if (accept("(")) {
      out = sum();
      expect(")");
    } else {
      const std::string_view name = word();
      if (std::ranges::find(names, name) == std::end(names)) {
        position_ = start;
        expected(kernel_names);
      }
      expect("(");
      out = named(start, name);
    }
    --depth_;
    return out;
  }

  // Reads the parameters of the kernel `name`, up to and including the closing bracket.
  KernelPtr named(std::size_t start, std::string_view name) {
    if (name == "linear" || name == "constant" || name == "precomputed") {
      expect(")");
      return name == "linear" ? linear_kernel() : name == "constant" ? constant_kernel() : precomputed_kernel();
    }
    if (name == "polynomial") {
      const Index degree = integer("degree");
      expect(",");
      const double scale = parameter("scale");
      expect(",");
      const double offset = parameter("offset");
      expect(")");
      return made(start, [&] { return polynomial_kernel(degree, scale, offset); });
    }
    if (name == "gaussian" || name == "laplacian") {
      const double sigma = parameter("sigma");
      expect(")");
      return made(start, [&] { return name == "gaussian" ? gaussian_kernel(sigma) : laplacian_kernel(sigma); });
    }
    if (name == "matern") {
      const double nu = parameter("nu");
      expect(",");
      const double length = parameter("length");
      expect(")");
      return made(start, [&] { return matern_kernel(nu, length); });
    }
    if (name == "scaled") {
      Array<double> scale;
      expect("[");
      do scale.push_back(number());
      while (accept(","));
      expect("]");
      expect(",");
      KernelPtr inner = sum();
      expect(")");
      return made(start, [&] { return scaled_kernel(std::move(inner), scale); });
    }
    if (name == "additive") return of_terms(start, additive_kernel);
    if (name == "multiplicative") return of_terms(start, multiplicative_kernel);
    if (name == "periodic" || name == "sphere") {
      const double period = name == "periodic" ? parameter("period") : 0;
      if (name == "periodic") expect(",");
      KernelPtr inner = sum();
      expect(")");
      return made(start, [&] {
        return name == "periodic" ? periodic_kernel(period, std::move(inner)) : sphere_kernel(std::move(inner));
      });
    }
    Array<KernelPtr> factors;
    do factors.push_back(sum());
    while (accept(","));
    expect(")");
    return made(start, [&] { return product_kernel(std::move(factors)); });
  }

  KernelPtr of_terms(std::size_t start, KernelPtr (*make)(KernelPtr, Span<const std::int32_t>)) {
    Array<std::int32_t> label;
    if (accept("[")) {
      do label.push_back(whole());
      while (accept(","));
      expect("]");
      expect(",");
    }
    KernelPtr inner = sum();
    expect(")");
    return made(start, [&] { return make(std::move(inner), label); });
  }

  // Makes the kernel whose text begins at `start`. If that throws, the message gets this place added.
  template <class Make>
  KernelPtr made(std::size_t start, const Make& make) {
    try {
      KernelPtr kernel = make();
      if (kernel->extent().depth > nesting_limit)
        fail(Status::invalid_argument, "it is ", kernel->extent().depth, " kernels deep, and at most ", nesting_limit,
             " were expected");
      return kernel;
    } catch (const Error& error) {
      fail(error.status(), std::string_view(error.what()), " (the kernel at character ", start + 1, ")");
    }
  }

  double parameter(std::string_view name) {
    begin_parameter(name);
    return number();
  }

  Index integer(std::string_view name) {
    begin_parameter(name);
    return whole();
  }

  std::int32_t whole() {
    skip_spaces();
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) expected("a number of 32 bits");
    if (error != std::errc()) expected("a whole number");
    position_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void begin_parameter(std::string_view name) {
    const std::size_t start = position();
    if (word() != name) {
      position_ = start;
      expected(name);
    }
    expect("=");
  }

  bool starts_number() {
    skip_spaces();
    return !at_end() && (is_digit(text_[position_]) || text_[position_] == '-' || text_[position_] == '.');
  }

  double number() {
    skip_spaces();
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range)
      fail(Status::not_finite, "the number at character ", position_ + 1, " is beyond what a double can hold");
    if (error != std::errc()) expected("a number");
    position_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  // Reads letters as long as there are any.
  std::string_view word() {
    skip_spaces();
    const std::size_t start = position_;
    while (position_ < text_.size() && is_letter(text_[position_])) ++position_;
    return text_.substr(start, position_ - start);
  }

  bool accept(std::string_view sign) {
    skip_spaces();
    if (!text_.substr(position_).starts_with(sign)) return false;
    position_ += sign.size();
    return true;
  }

  void expect(std::string_view sign) {
    if (!accept(sign)) expected(sign);
  }

  [[noreturn]] void expected(std::string_view what) {
    if (at_end())
      fail(Status::invalid_argument, what, " was expected at character ", position_ + 1, ", where the text ends");
    const char found = text_[position_];
    const bool printable = found > ' ' && found < 127;
    fail(Status::invalid_argument, what, " was expected at character ", position_ + 1, ", not ",
         printable ? std::string(1, found)
                   : text("the byte ", static_cast<unsigned>(static_cast<unsigned char>(found))));
  }

  std::size_t position() {
    skip_spaces();
    return position_;
  }
  bool at_end() {
    skip_spaces();
    return position_ == text_.size();
  }
  void skip_spaces() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  }

  // Not std::isspace, which depends on the locale.
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  std::string_view text_;
  std::size_t position_ = 0;
  Index depth_ = 0;
};

}  // namespace

void KernelText::append(std::string_view part) {
  const std::size_t needed = text_.size() + part.size();
  if (needed > text_.capacity() && needed > small_text)
    require_memory(static_cast<Index>(2 * needed), "the description of the kernel", "use a kernel of fewer parts");
  text_ += part;
}

KernelParameter Kernel::parameter(Index i) const {
  fail(Status::internal, "the kernel ", std::string_view(name()), " has no parameter ", i);
}

void Kernel::describe(KernelText& out) const {
  out.add(std::string_view(name()), "(");
  for (Index i = 0; i < parameter_count(); ++i) {
    const KernelParameter p = parameter(i);
    out.add(i == 0 ? "" : ", ", std::string_view(p.name), " = ");
    if (p.whole)
      out.add(static_cast<Index>(p.values[0]));
    else
      out.add(p.values[0]);
  }
  out.add(")");
}

std::string describe(const Kernel& kernel) {
  KernelText out;
  kernel.describe(out);
  return out.take();
}

KernelPtr parse_kernel(std::string_view description) {
  return Parser(description).parse();
}

void save_kernel(const Kernel& kernel, ByteWriter& out) {
  const std::string description = describe(kernel);
  try {
    parse_kernel(description);
  } catch (const Error& error) {
    if (error.status() == Status::out_of_memory) throw;
    fail(Status::invalid_argument, "the kernel cannot be saved as text: ", std::string_view(error.what()));
  }
  out.text(description);
}

KernelPtr load_kernel(ByteReader& in) {
  return parse_kernel(in.text("kernel"));
}

}  // namespace freeridge
