#include "capi/support/refusals.hpp"

#include <cctype>
#include <cmath>
#include <sstream>

namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Messages are free to write NaN or nan, and so on.
std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

constexpr double stale = -7.25;

}  // namespace

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string text_of(int64_t value) {
  return std::to_string(value);
}

bool has_word(const std::string& message, const std::string& word) {
  const std::string text = lower(message), wanted = lower(word);
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const std::size_t end = at + wanted.size();
    const char after = end < text.size() ? text[end] : ' ';
    const bool decimals =
        after == '.' && end + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[end + 1]));
    if (!in_name(before) && before != '-' && before != '.' && !in_name(after) && !decimals) return true;
  }
  return false;
}

void leave_stale_error() {
  freeridge_kernel* kernel = nullptr;
  ASSERT_EQ(freeridge_kernel_gaussian(stale, &kernel), FREERIDGE_INVALID_ARGUMENT);
  ASSERT_TRUE(has_word(freeridge_last_error(), text_of(stale))) << freeridge_last_error();
}

void expect_message(const std::string& message, const Words& words) {
  EXPECT_FALSE(has_word(message, text_of(stale))) << "the message of an earlier call: " << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << "more than one line: " << message;
  for (const std::string& word : words) {
    EXPECT_TRUE(has_word(message, word)) << "no word \"" << word << "\" in: " << message;
  }
  EXPECT_NE(message, "");
}

// --- bad values -----------------------------------------------------------------------------------------------------

namespace {

// Rows of a table: the names that share a list.
template <class T>
struct Named {
  std::string_view names;
  std::vector<T> list;
};

template <class T>
std::vector<BadNumbers<T>> found(const std::vector<Named<T>>& table, std::string_view name) {
  std::vector<BadNumbers<T>> out;
  for (const Named<T>& row : table)
    if (call::has_name(row.names, name)) out.push_back({FREERIDGE_INVALID_ARGUMENT, row.list});
  return out;
}

// Pinned constants end where the next one would be.
std::vector<int32_t> unknown(int32_t next) {
  return {next, 99, -1, INT32_MIN, INT32_MAX};
}

}  // namespace

std::vector<BadNumbers<int32_t>> bad_numbers(std::string_view name, int32_t) {
  return found<int32_t>({{"layout reduction loss", unknown(3)},
                         {"method", unknown(4)},
                         {"route criterion", unknown(6)},
                         {"from to", unknown(8)},
                         {"layout criterion loss from to", {0}},
                         {"degree count", {0, -1, INT32_MIN}}},
                        name);
}

std::vector<BadNumbers<int64_t>> bad_numbers(std::string_view name, int64_t valid) {
  return found<int64_t>(
      {{"n d t m count", bad_sizes}, {"ld ldx ldy ldout lda", bad_leading(valid)}, {"iterations", {0, -1, INT64_MIN}}},
      name);
}

std::vector<BadNumbers<double>> bad_numbers(std::string_view name, double) {
  std::vector<BadNumbers<double>> out = found<double>({{"sigma length scale sd_y tolerance", {0.0, -1.0, -1e-300}},
                                                       {"lambda offset", {-0.5, -1e-300}},
                                                       {"nu", {0.0, -0.5, 1.0, 3.5}},
                                                       {"low", {0.0, -1.0, 200.0}},
                                                       {"high", {0.0, -1.0, 0.001}},
                                                       {"level fraction", {0.0, 1.0, -0.5, 1.5, -1e-300, 95.0}}},
                                                      name);
  out.push_back({FREERIDGE_NOT_FINITE, not_finite});
  return out;
}

std::vector<BadNumbers<double>> bad_entries(std::string_view name) {
  std::vector<BadNumbers<double>> out = found<double>(
      {{"weights scale", {-1.0, -1e-300}}, {"scale", {0.0}}, {"lambdas lambda penalty", {-0.5, -1e-300}}}, name);
  out.push_back({FREERIDGE_NOT_FINITE, not_finite});
  return out;
}
