#include "capi/support/documented.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <vector>

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  Words words;
  bool inside = false;
  for (const char c : text) {
    const bool in_name = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (in_name && !inside) words.emplace_back();
    if (in_name) words.back() += c;
    inside = in_name;
  }
  return words;
}

class Header {
 public:
  Header() {
    for (const char* name : {"freeridge.h", "freeridge_classical.h"})
      read(FREERIDGE_TEST_DATA "/../../capi/" + std::string(name));
  }

  void read(const std::string& path) {
    std::ifstream file(path);
    std::string line, comment;
    // A comment in the first column belongs to the declarations up to the next empty line.
    for (bool in_comment = false; std::getline(file, line);) {
      if (line.starts_with("/*")) comment.clear(), in_comment = true;
      if (in_comment) {
        comment += line.substr(std::min<std::size_t>(2, line.size())) + ' ';
      } else if (line.starts_with("FREERIDGE_API ")) {
        statuses_[words_of(line.substr(0, line.find('('))).back()] =
            words_of(comment.substr(std::min(comment.find("Statuses"), comment.size())));
      }
      if (line.ends_with("*/")) in_comment = false;
    }
  }

  // Itself, or by the comment of another call: "as freeridge_score".
  bool names(const std::string& call, const std::string& status, int depth) const {
    const auto found = statuses_.find(call);
    if (found == statuses_.end()) return false;
    const Words& words = found->second;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == status) return true;
      const bool refers = i > 0 && words[i - 1] == "as" && words[i].starts_with("freeridge_");
      if (refers && depth > 0 && names(words[i], status, depth - 1)) return true;
    }
    return false;
  }

 private:
  std::map<std::string, Words> statuses_;
};

}  // namespace

bool Documented::has(const std::string& call, freeridge_status status) {
  static const Header header;
  if (status == FREERIDGE_OUT_OF_MEMORY || status == FREERIDGE_INTERNAL) return true;
  // Of calls on a state, where the route is ITERATIVE.
  if (status == FREERIDGE_NOT_CONVERGED && header.names(call, "INVALID_STATE", 2)) return true;
  return header.names(call, freeridge_status_name(status), 2);
}
