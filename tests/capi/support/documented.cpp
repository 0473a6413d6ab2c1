#include "capi/support/documented.hpp"

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace {

class Header {
 public:
  Header() {
    std::ifstream file(FREERIDGE_TEST_DATA "/../../capi/freeridge.h");
    std::stringstream text;
    text << file.rdbuf();
    std::string line, comment, code;
    // A comment in the first column belongs to the declarations up to the next empty line.
    for (bool in_comment = false; std::getline(text, line);) {
      if (line.starts_with("/*")) comment.clear(), in_comment = true;
      if (in_comment)
        comment += line.substr(std::min<std::size_t>(2, line.size())) + ' ';
      else if (std::smatch match; std::regex_search(line, match, std::regex("^FREERIDGE_API .*?(freeridge_\\w+)\\(")))
        comments_[match[1]] = comment;
      if (line.ends_with("*/")) in_comment = false;
    }
  }

  bool names(const std::string& call, const std::string& status, int depth) const {
    const auto found = comments_.find(call);
    const std::size_t from = found == comments_.end() ? std::string::npos : found->second.find("Statuses");
    if (from == std::string::npos) return false;
    const std::string text = found->second.substr(from);
    if (std::regex_search(text, std::regex("\\b" + status + "\\b"))) return true;
    const std::regex reference("\\bas (freeridge_\\w+)");
    for (std::sregex_iterator match(text.begin(), text.end(), reference), end; match != end; ++match)
      if (depth > 0 && names((*match)[1], status, depth - 1)) return true;
    return false;
  }

 private:
  std::map<std::string, std::string> comments_;
};

}  // namespace

bool Documented::has(const std::string& call, freeridge_status status) {
  static const Header header;
  if (status == FREERIDGE_OUT_OF_MEMORY || status == FREERIDGE_INTERNAL) return true;
  // Of calls on a state, where the route is ITERATIVE.
  if (status == FREERIDGE_NOT_CONVERGED && header.names(call, "INVALID_STATE", 2)) return true;
  return header.names(call, freeridge_status_name(status), 2);
}
