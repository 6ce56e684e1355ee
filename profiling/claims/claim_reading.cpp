// profiling/claims/claim_reading.cpp: claims read: from a text to a tree whose names are known.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "profiling/claims/claim.h"
#include "profiling/claims/claim_names.h"

namespace warpscope {
namespace {

constexpr int kDeepest = 64;  // brackets in brackets

struct UnitFactor {
  const char* word;
  double factor;
  const char* unit;
};
constexpr UnitFactor kUnits[] = {
    {"%", 0.01, "ratio"},    {"ns", 1, "ns"},        {"us", 1e3, "ns"},          {"µs", 1e3, "ns"},
    {"ms", 1e6, "ns"},       {"GB/s", 1e9, "B/s"},   {"KB", 1e3, "B"},           {"MB", 1e6, "B"},
    {"GB", 1e9, "B"},        {"KiB", 1024, "B"},     {"MiB", 1 << 20, "B"},      {"B", 1, "B"},
    {"FLOP/B", 1, "FLOP/B"}, {"MFLOP", 1e6, "FLOP"}, {"TFLOP/s", 1e12, "FLOP/s"}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Reader {
 public:
  Reader(std::string_view text, const Scene& scene) : text_(text), scene_(scene) {}

  Result<Claim> read() {
    Result<ClaimNode> root = either();
    if (!root) return tl::unexpected(root.error());
    skip_space();
    if (at_ < text_.size())
      return wrong(at_, "“" + std::string(text_.substr(at_)) + "” is left over",
                   "join two relations with and, or");
    return Claim{std::string(text_), std::make_shared<const ClaimNode>(std::move(*root))};
  }

 private:
  tl::unexpected<Error> wrong(std::size_t at, std::string what, std::string remedy) const {
    return failure(ErrorKind::input, "at " + std::to_string(at + 1) + ": " + std::move(what),
                   "claim “" + std::string(text_) + "”", std::move(remedy));
  }
  // What is wrong with a name, at its place.
  tl::unexpected<Error> wrong(std::size_t at, const Error& error) const {
    return wrong(at, error.what, error.remedy);
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view sign) {
    skip_space();
    if (text_.substr(at_, sign.size()) != sign) return false;
    const bool word = is_word(sign.back());
    if (word && at_ + sign.size() < text_.size() && is_word(text_[at_ + sign.size()])) return false;
    at_ += sign.size();
    return true;
  }

  ClaimNode operation(std::string word, std::size_t at, std::vector<ClaimNode> parts) const {
    ClaimNode node;
    node.kind = ClaimNode::Kind::operation;
    node.word = std::move(word);
    node.at = at;
    node.parts = std::move(parts);
    return node;
  }

  // One level of operators that group to the left.
  template <std::size_t N>
  Result<ClaimNode> joined(const std::array<const char*, N>& signs,
                           Result<ClaimNode> (Reader::*next)()) {
    Result<ClaimNode> left = (this->*next)();
    while (left) {
      skip_space();
      const std::size_t at = at_;
      const auto sign = std::find_if(signs.begin(), signs.end(),
                                     [this](const char* candidate) { return take(candidate); });
      if (sign == signs.end()) break;
      Result<ClaimNode> right = (this->*next)();
      if (!right) return right;
      left = operation(*sign, at, {std::move(*left), std::move(*right)});
    }
    return left;
  }

  Result<ClaimNode> either() {
    if (++depth_ > kDeepest) return wrong(at_, "too many nested brackets", "simplify it");
    Result<ClaimNode> node = joined(std::array{"or"}, &Reader::both);
    --depth_;
    return node;
  }
  Result<ClaimNode> both() { return joined(std::array{"and"}, &Reader::negation); }
  Result<ClaimNode> negation() {
    skip_space();
    const std::size_t at = at_;
    bool turned = false;
    while (take("not")) turned = !turned;
    Result<ClaimNode> node = relation();
    if (!node || !turned) return node;
    return operation("not", at, {std::move(*node)});
  }
  // At most one: “a < b < c” is an error, not a comparison of a truth with a figure.
  Result<ClaimNode> relation() {
    Result<ClaimNode> left = sum();
    if (!left) return left;
    skip_space();
    const std::size_t at = at_;
    for (const char* sign : {"<=", ">=", "!=", "<", ">", "=", "~"}) {
      if (!take(sign)) continue;
      Result<ClaimNode> right = sum();
      if (!right) return right;
      std::vector<ClaimNode> parts = {std::move(*left), std::move(*right)};
      if (sign == std::string_view("~") && take("within")) {
        Result<ClaimNode> bound = product();
        if (!bound) return bound;
        parts.push_back(std::move(*bound));
      }
      return operation(sign, at, std::move(parts));
    }
    return left;
  }
  Result<ClaimNode> sum() { return joined(std::array{"+", "-"}, &Reader::product); }
  Result<ClaimNode> product() { return joined(std::array{"*", "/"}, &Reader::primary); }

  Result<ClaimNode> primary() {
    skip_space();
    const std::size_t at = at_;
    if (at_ >= text_.size()) return wrong(at, "a figure is missing", "write a name or a number");
    if (take("(")) {
      Result<ClaimNode> inside = either();
      if (!inside) return inside;
      if (!take(")"))
        return wrong(at_, "the bracket at " + std::to_string(at + 1) + " is not closed",
                     "close it");
      return inside;
    }
    if (take("-")) {
      if (++depth_ > kDeepest) return wrong(at, "too many signs", "simplify it");
      Result<ClaimNode> inside = primary();
      --depth_;
      if (!inside) return inside;
      return operation("-", at, {std::move(*inside)});
    }
    if (text_[at_] == '\'') return words();
    if (is_digit(text_[at_])) return number();
    if (!is_word(text_[at_]))
      return wrong(at, "“" + std::string(text_.substr(at, 1)) + "” cannot start a figure",
                   "write a name or a number");
    return named();
  }

  Result<ClaimNode> words() {
    const std::size_t at = at_, close = text_.find('\'', at + 1);
    if (close == std::string_view::npos) return wrong(at, "a text is not closed", "write 'NT'");
    ClaimNode node;
    node.kind = ClaimNode::Kind::words;
    node.word = std::string(text_.substr(at + 1, close - at - 1));
    node.at = at;
    at_ = close + 1;
    return node;
  }

  // The digits of a number, without what follows: of “64.time” 64.
  std::string_view digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      for (++at_; at_ < text_.size() && is_digit(text_[at_]);) ++at_;
    }
    std::size_t end = at_;
    if (end < text_.size() && text_[end] == 'e') {
      ++end;
      if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
      if (end < text_.size() && is_digit(text_[end])) {
        while (end < text_.size() && is_digit(text_[end])) ++end;
        at_ = end;
      }
    }
    return text_.substr(begin, at_ - begin);
  }

  Result<ClaimNode> number() {
    ClaimNode node;
    node.at = at_;
    const std::string_view text = digits();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), node.number);
    skip_space();
    for (const UnitFactor& row : kUnits) {
      if (!take(row.word)) continue;
      node.number *= row.factor;
      node.unit = row.unit;
      break;
    }
    if (read.ec != std::errc() || !std::isfinite(node.number))
      return wrong(node.at, "“" + std::string(text) + "” is too large for a number",
                   "write another number");
    return node;
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<ClaimNode> named() {
    ClaimNode node;
    node.kind = ClaimNode::Kind::name;
    node.at = at_;
    node.name.head = word();
    if (at_ < text_.size() && text_[at_] == '@') {
      if (Result<void> read = settings(node.name); !read) return tl::unexpected(read.error());
    }
    while (at_ + 1 < text_.size() && text_[at_] == '.' && is_word(text_[at_ + 1])) {
      ++at_;
      node.name.path += (node.name.path.empty() ? "" : ".") + word();
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return call(std::move(node));
    const Result<void> known = in_set_ ? check_set(node, scene_) : check_name(node.name, scene_);
    if (!known) return wrong(node.at, known.error());
    return node;
  }

  Result<void> settings(ClaimName& name) {
    const std::size_t at = at_;
    std::map<std::string, std::vector<std::string>> found;
    if (Result<void> read = settings(found); !read) return read;
    for (const auto& [axis, values] : found) {
      if (values.size() > 1)
        return wrong(at, "a figure needs a single value of " + axis, "name one after @");
      name.settings[axis] = values.front();
    }
    return {};
  }
  Result<void> settings(std::map<std::string, std::vector<std::string>>& found) {
    do {
      ++at_;  // '@' or ','
      const std::size_t at = at_;
      const std::string axis = word();
      const Axis* row = find_axis(scene_.axes, axis);
      if (row == nullptr) {
        std::vector<std::string> names;
        for (const Axis& each : scene_.axes) names.push_back(each.name);
        return wrong(at, unknown("axis", axis, names).value());
      }
      if (at_ >= text_.size() || text_[at_] != '=')
        return wrong(at_, "an axis needs a value", "write " + axis + "=VALUE");
      ++at_;
      if (Result<void> read = values(*row, at, found[axis]); !read) return read;
    } while (at_ < text_.size() && text_[at_] == ',' && another_setting());
    return {};
  }
  // One value of an axis, or several between slashes.
  Result<void> values(const Axis& row, std::size_t at, std::vector<std::string>& found) {
    do {
      if (!found.empty()) ++at_;  // '/'
      std::string value;
      if (at_ < text_.size() && text_[at_] == '\'') {
        const std::size_t close = text_.find('\'', at_ + 1);
        if (close == std::string_view::npos)
          return wrong(at_, "a text is not closed", "write 'NT'");
        value = std::string(text_.substr(at_ + 1, close - at_ - 1));
        at_ = close + 1;
      } else if (at_ < text_.size() && is_digit(text_[at_])) {
        value = std::string(digits());
      } else {
        value = word();
      }
      if (Result<AxisValue> good = parse_axis_value(row, value); !good)
        return wrong(at, good.error());
      found.push_back(value);
    } while (at_ < text_.size() && text_[at_] == '/');
    return {};
  }
  // After a comma: “p=0.05” belongs to the name, “ b.time.warm” is the next argument.
  bool another_setting() const {
    std::size_t at = at_ + 1;
    while (at < text_.size() && is_word(text_[at])) ++at;
    return at > at_ + 1 && at < text_.size() && text_[at] == '=';
  }

  Result<ClaimNode> call(ClaimNode node) {
    node.kind = ClaimNode::Kind::call;
    node.word = node.name.head + (node.name.path.empty() ? "" : "." + node.name.path);
    if (Result<void> known = check_function(node.word); !known)
      return wrong(node.at, known.error());
    const bool of_sets = node.word.starts_with("best") || node.word.starts_with("fastest");
    in_set_ = of_sets;
    do {
      at_ += 1;  // '(' or ','
      Result<ClaimNode> part = either();
      if (!part) return part;
      if (node.parts.empty() && take("over")) return over(std::move(node), std::move(*part));
      if (of_sets && part->kind != ClaimNode::Kind::name)
        return wrong(part->at, node.word + " takes variants", "write best(family.ours)");
      node.parts.push_back(std::move(*part));
      skip_space();
    } while (at_ < text_.size() && text_[at_] == ',');
    in_set_ = false;
    if (!take(")")) return wrong(at_, node.word + "( is open", "close it");
    if (is_gathering(node.word) && !is_function(node.word))
      return wrong(node.at, node.word + " needs points", "write " + node.word + "(… over points)");
    const std::size_t count = node.parts.size();
    if ((node.word == "ratio" && count != 2) || (node.word == "abs" && count != 1))
      return wrong(node.at,
                   node.word + " takes " + (node.word == "abs" ? "one figure" : "two figures"),
                   "write ratio(a, b)");
    return node;
  }

  // Reads what follows “mean(… over”.
  Result<ClaimNode> over(ClaimNode node, ClaimNode gathered) {
    const std::size_t at = at_;
    in_set_ = false;
    if (!is_gathering(node.word))
      return wrong(node.at, node.word + " uses one configuration only",
                   "write mean, min, max, count, at_min, at_max or points(… over points)");
    if (!take("points")) return wrong(at, "“over” needs “points” after it", "write “over points”");
    if (at_ < text_.size() && text_[at_] == '@') {
      if (Result<void> read = settings(node.places); !read) return tl::unexpected(read.error());
    }
    for (const auto& [axis, values] : node.places) {
      if (!of_problem(*find_axis(scene_.axes, axis)))
        return wrong(at, axis + " is an axis of variants, not of points",
                     "name it after the variant: variant@" + axis + "=VALUE");
    }
    if (!take(")")) return wrong(at_, node.word + "( is open", "close it");
    node.kind = ClaimNode::Kind::gathered;
    node.parts = {std::move(gathered)};
    return node;
  }

  std::string_view text_;
  const Scene& scene_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_set_ = false;
};

}  // namespace

Result<Claim> parse_claim(std::string_view text, const Scene& scene) {
  constexpr std::size_t kLongest = 4096;
  if (text.size() > kLongest)
    return failure(ErrorKind::input, "a claim has more than 4096 characters", "", "divide it");
  return Reader(text, scene).read();
}

}  // namespace warpscope
