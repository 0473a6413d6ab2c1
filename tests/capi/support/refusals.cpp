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
