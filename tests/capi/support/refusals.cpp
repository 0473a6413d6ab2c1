#include "capi/support/refusals.hpp"

#include <algorithm>
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

BadValues integers(const std::vector<int64_t>& list) {
  BadValues out;
  for (const int64_t value : list)
    out.push_back({text_of(value), [=](const call::Slot& slot) {
                     if (slot.int32 != nullptr) *slot.int32 = static_cast<int32_t>(value);
                     if (slot.int64 != nullptr) *slot.int64 = value;
                   }});
  return out;
}

BadValues reals(const std::vector<double>& list) {
  BadValues out;
  for (const double value : list) out.push_back({text_of(value), [=](const call::Slot& slot) { *slot.real = value; }});
  return out;
}

namespace {

template <class T>
BadValues entries(const std::vector<T>& list, std::vector<T>* call::Slot::*of) {
  BadValues out;
  for (const T value : list)
    for (const std::size_t place : {0, 1, 2})
      out.push_back({text_of(value), [=](const call::Slot& slot) {
                       std::vector<T>& array = *(slot.*of);
                       array[(array.size() - 1) * place / 2] = value;
                     }});
  return out;
}

}  // namespace

BadValues integer_entries(const std::vector<int64_t>& list) {
  return entries(list, &call::Slot::integers);
}

BadValues real_entries(const std::vector<double>& list) {
  return entries(list, &call::Slot::reals);
}

namespace {

bool has_name(const std::string& list, const std::string& name) {
  const std::vector<std::string> names = names_in(list);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "n" of "points.n".
std::string last_word(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

// What arguments of these names may not be. Pinned constants end where the next one would be.
template <class T>
struct Forbidden {
  const char* names;
  std::vector<T> list;
};
const std::vector<Forbidden<int64_t>> forbidden_int32 = {
    {"layout format reduction loss kind", {3}},
    {"method", {4}},
    {"criterion", {8}},
    {"route", {7}},
    {"from to", {15}},
    {"layout format criterion loss kind from to", {0}},
    {"layout format reduction loss kind method route criterion from to what", {99, -1, INT32_MIN, INT32_MAX}},
    {"degree count", {0, -1, INT32_MIN}}};
const std::vector<Forbidden<int64_t>> forbidden_int64 = {{"n d t m r count", bad_sizes},
                                                         {"unpenalised_count", {-1, INT64_MIN, INT64_MAX}},
                                                         {"iterations", {0, -1, INT64_MIN}}};
const std::vector<Forbidden<double>> forbidden_real = {{"sigma length scale sd_y tolerance", {0.0, -1.0, -1e-300}},
                                                       {"lambda offset", {-0.5, -1e-300}},
                                                       {"nu", {0.0, -0.5, 1.0, 3.5}},
                                                       {"low", {0.0, -1.0, 200.0}},
                                                       {"high", {0.0, -1.0, 0.001}},
                                                       {"level fraction", {0.0, 1.0, -0.5, 1.5, -1e-300, 95.0}}};
const std::vector<Forbidden<double>> forbidden_entries = {
    {"weights scale", {-1.0, -1e-300}}, {"scale", {0.0}}, {"lambdas lambda penalty", {-0.5, -1e-300}}};

template <class T>
void add(Rows& rows, const std::vector<Forbidden<T>>& table, const std::string& name,
         BadValues (*spoil)(const std::vector<T>&)) {
  for (const Forbidden<T>& row : table)
    if (has_name(row.names, last_word(name))) rows.push_back({name, spoil(row.list)});
}

// The rows that follow from an argument's type and name.
Rows rows_of(const CallKind& kind, const std::string& name, const call::Slot& slot) {
  Rows rows;
  const std::string word = last_word(name);
  const bool field = word != name;  // of a struct
  if (word == "size" && !field) return rows;
  if (!has_name(kind.optional, name) && !slot.optional) {
    if (slot.pointer != nullptr) rows.push_back({name, {{"NULL", [](const call::Slot& s) { *s.pointer = nullptr; }}}});
    if (slot.null != nullptr) rows.push_back({name, {{"NULL", [](const call::Slot& s) { *s.null = true; }}}});
  }
  if (has_name(kind.own, name)) return rows;
  if (word == "size") rows.push_back({name, integers({0, -1, INT64_MIN, *slot.int64 - 1, *slot.int64 + 1, INT64_MAX})});
  if (slot.int32 != nullptr) add(rows, forbidden_int32, name, integers);
  if (slot.int64 != nullptr) add(rows, forbidden_int64, name, integers);
  if (slot.int64 != nullptr && word.starts_with("ld"))
    rows.push_back({name, integers(bad_leading(*slot.int64, field))});
  if (slot.real != nullptr) {
    add(rows, forbidden_real, name, reals);
    rows.push_back({name, reals(not_finite), FREERIDGE_NOT_FINITE});
  }
  if (slot.reals != nullptr) {
    add(rows, forbidden_entries, name, real_entries);
    rows.push_back({name, real_entries(not_finite), FREERIDGE_NOT_FINITE});
  }
  return rows;
}

// x, y and outputs in row-major order, where leading dimensions are numbers of columns; whether there is any.
bool lay_by_rows(const CallKind& kind, AnyCall& call) {
  bool any = false;
  for (const std::string prefix : {"", "points.", "others."}) {
    const call::Slot layout = slot(kind, call, prefix + "layout"), ldx = slot(kind, call, prefix + "ldx");
    if (layout.int32 != nullptr && (ldx.int64 != nullptr || prefix.empty())) *layout.int32 = FREERIDGE_ROW_MAJOR;
    if (layout.int32 == nullptr || ldx.int64 == nullptr) continue;
    any = true;
    *ldx.int64 = sample::d;
    if (const call::Slot ldu = slot(kind, call, prefix + "ldu"); ldu.int64 != nullptr) *ldu.int64 = sample::q;
  }
  for (const char* name : {"ldy", "ldout"})
    if (const call::Slot ld = slot(kind, call, name); any && ld.int64 != nullptr && !has_name(kind.own, name))
      *ld.int64 = sample::t;
  return any;
}

}  // namespace

// --- the check ------------------------------------------------------------------------------------------------------

void expect_failure_of(AnyCall& call, const char* name, freeridge_status status, const Words& words, bool partly) {
  leave_stale_error();
  OutputCapture capture;
  const freeridge_status actual = call();
  const std::string message = freeridge_last_error();
  const std::string printed = capture.end();
  EXPECT_STREQ(freeridge_status_name(actual), freeridge_status_name(status)) << message;
  expect_message(message, words);
  EXPECT_EQ(printed, "");
  EXPECT_TRUE(Documented::has(name, actual)) << name << ": " << freeridge_status_name(actual);
  const bool may_write = partly || status == FREERIDGE_UNDEFINED || status == FREERIDGE_CANCELLED;
  call.each_output([&](const AnyOutput& output) {
    EXPECT_TRUE(may_write ? output.guard_untouched() : output.untouched()) << "an output was written";
  });
}

void expect_each_refused(const CallKind& kind, const Rows& given, const std::function<void(AnyCall&)>& prepare,
                         const std::function<void()>& check) {
  Rows rows = given, by_rows;
  const std::unique_ptr<AnyCall> valid = kind.make();
  prepare(*valid);
  for (const std::string& name : names_of(kind, *valid))
    for (Row& row : rows_of(kind, name, slot(kind, *valid, name))) rows.push_back(std::move(row));
  if (lay_by_rows(kind, *valid))
    for (const char* const name : {"ldx", "points.ldx", "points.ldu", "others.ldx", "ldy", "ldout"})
      if (const call::Slot ld = slot(kind, *valid, name); ld.int64 != nullptr && !has_name(kind.own, name))
        by_rows.push_back({name, integers(bad_leading(*ld.int64, last_word(name) != name))});
  const auto refuse = [&](const Row& row, bool rows_first) {
    for (const BadValue& value : row.values) {
      SCOPED_TRACE(std::string(kind.name) + ": " + row.argument + " = " + value.text + (rows_first ? ", by rows" : ""));
      const std::unique_ptr<AnyCall> call = kind.make();
      prepare(*call);
      if (rows_first) lay_by_rows(kind, *call);
      value.spoil(slot(kind, *call, row.argument));
      expect_failure_of(*call, kind.name, row.status, {value.text});
      const std::string message = freeridge_last_error();
      EXPECT_TRUE(has_word(message, row.argument) || has_word(message, last_word(row.argument)))
          << "no \"" << row.argument << "\" in: " << message;
      check();
    }
  };
  for (const Row& row : rows) refuse(row, false);
  for (const Row& row : by_rows) refuse(row, true);
}

void expect_refused(const CallKind& kind, const Rows& rows, const std::vector<sample::Variant>& variants) {
  if (!has_name(kind.argument_names, "model")) {
    expect_each_refused(
        kind, rows, [](AnyCall&) {}, [] {});
    return;
  }
  for (sample::Variant variant : variants) {
    SCOPED_TRACE("variant " + std::to_string(static_cast<int>(variant)));
    const Model model = sample::model(sample::State::fitted, variant);
    const Fingerprint before = fingerprint(model.get());
    expect_each_refused(
        kind, rows, [&](AnyCall& call) { *slot(kind, call, "model").pointer = model.get(); },
        [&] { EXPECT_EQ(difference(before, fingerprint(model.get())), ""); });
  }
}
