// profiling/launches/launch_file.cpp: a launch of a person's kernel, described in a TOML file.
#include "profiling/launches/launch_file.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "profiling/access/trace.h"
#include "profiling/launches/number_text.h"
#include "profiling/listings/compiler_options.h"
#include "scenes/base/user_argument.h"
#include "scenes/folder/description_fields.h"
#include "scenes/folder/expression.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

const std::vector<const char*> kKeys = {"source", "ptx",      "include", "define",  "kernel",
                                        "grid",   "block",    "shared",  "cluster", "cooperative",
                                        "let",    "argument", "buffer",  "constant"};
const std::vector<const char*> kArgumentKeys = {"name", "type", "count", "shape",
                                                "fill", "file", "value", "expect",
                                                "rtol", "atol", "out",   "print"};
constexpr const char* kWriteValue =
    "write value = \"f32:1e-5\", \"i32:n\", \"struct:{x,i32:n}\" or \"bytes:0x0700\"";

// float4: its element's type, and how many.
struct Vector {
  const char* type = nullptr;
  int count = 0;
};
Vector vector_of(const std::string& type) {
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"float", "f32"}, {"double", "f64"}, {"int", "i32"}, {"uint", "u32"}};
  for (const auto& [word, element] : kRows) {
    const std::string base = word;
    if (type.size() == base.size() + 1 && type.starts_with(base) && type.back() >= '1' &&
        type.back() <= '4')
      return {element, type.back() - '0'};
  }
  return {};
}

class Reader {
 public:
  Reader(const Node& node, const fs::path& file)
      : errors_(file.string()), root_(errors_, node, "", kKeys), folder_(file.parent_path()) {}

  Result<LaunchFile> all(const std::map<std::string, std::string>& values) {
    read_source();
    read_names(values);
    UserLaunch& launch = out_.user.launches.emplace_back();
    launch.entry = root_.text("kernel");
    launch.launch.grid = shape("grid");
    launch.launch.block = shape("block");
    launch.launch.cluster = shape("cluster");
    launch.launch.cooperative = root_.truth("cooperative", false);
    if (const auto bytes = root_.expression("shared", names_))
      launch.launch.dynamic_shared_bytes = whole(*bytes, "shared");
    for (const Node* node : root_.list("argument")) read_argument(*node, &launch);
    for (const Node* node : root_.list("buffer")) read_argument(*node, nullptr);
    for (const Node* node : root_.tables("constant")) read_constant(*node, launch);
    if (errors_.first()) return tl::unexpected(*errors_.first());
    if (!unknown_.empty())
      return failure(ErrorKind::usage, "the launch file has no value “" + unknown_ + "”", unknown_,
                     "add it to the file's [let], or leave it out");
    return std::move(out_);
  }

 private:
  std::string path_of(const std::string& name) const {
    const fs::path path = name;
    std::error_code ignored;
    return fs::absolute(path.is_absolute() ? path : folder_ / path, ignored)
        .lexically_normal()
        .string();
  }

  std::string file_of(const std::string& name) { return out_.files.emplace_back(path_of(name)); }

  void read_source() {
    const bool ptx = root_.has("ptx");
    if (ptx && root_.has("source"))
      root_.refuse("ptx", "source and ptx name two files", "keep one of them");
    const std::string name = root_.text(ptx ? "ptx" : "source");
    if (name.empty())
      root_.refuse("source", "no file with a kernel is named", "write source = \"NAME.cu\"");
    out_.user.path = file_of(name);
    for (const std::string& folder : root_.texts("include"))
      out_.folders.push_back(path_of(folder));
    for (const std::string& define : root_.texts("define")) {
      const std::size_t equals = define.find('=');
      const std::string value = equals == std::string::npos ? "1" : define.substr(equals + 1);
      out_.user.defines.emplace_back(define.substr(0, equals), value);
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (!value.empty() && *end == '\0') add_name(define.substr(0, equals), number);
    }
  }

  void add_name(const std::string& name, double value) {
    names_.push_back({name, {}});
    values_.emplace_back(name, value);
  }

  void read_names(const std::map<std::string, std::string>& given) {
    for (const Node* node : root_.tables("let")) {
      const auto expression = root_.expression(*node, root_.at("let." + node->key), names_);
      double value = expression ? expression->value(lookup()) : 0;
      if (const auto other = given.find(node->key); other != given.end()) {
        char* end = nullptr;
        value = std::strtod(other->second.c_str(), &end);
        if (other->second.empty() || *end != '\0')
          root_.refuse("let." + node->key, "“" + other->second + "” is not a number",
                       "write " + node->key + "=1000");
      }
      add_name(node->key, value);
    }
    for (const auto& [name, value] : given) {
      const bool known = std::any_of(names_.begin(), names_.end(),
                                     [&](const ExpressionName& n) { return n.name == name; });
      if (!known) unknown_ = name;
    }
  }

  Expression::Lookup lookup() const {
    return [this](const std::string& name) {
      for (auto at = values_.rbegin(); at != values_.rend(); ++at) {
        if (at->first == name) return at->second;
      }
      return std::nan("");
    };
  }

  std::int64_t whole(const Expression& expression, const char* key) {
    const Result<std::int64_t> value = expression.whole(lookup());
    if (value && *value >= 0) return *value;
    root_.refuse(key, value ? "it is below 0" : value.error().what, "write a whole number");
    return 0;
  }

  Dim3 shape(const char* key) {
    Dim3 extents;
    std::int64_t* const sizes[] = {&extents.x, &extents.y, &extents.z};
    if (!root_.has(key)) return extents;
    const std::vector<Expression> all = root_.expressions(key, 3, names_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      *sizes[i] = whole(all[i], key);
      if (*sizes[i] < 1) root_.refuse(key, "it is below 1", "write 1 or more");
    }
    return extents;
  }

  // The words of a value: numbers may be expressions.
  std::string value_words(const Fields& fields, const std::string& text) {
    if (text.starts_with("struct:{") && text.ends_with('}')) {
      std::string members;
      for (const std::string_view member :
           members_in(std::string_view(text).substr(8, text.size() - 9)))
        members += (members.empty() ? "" : ",") + value_words(fields, std::string(member));
      return "struct:{" + members + "}";
    }
    if (text.starts_with("bytes:") || text == "?") return text;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return "&" + text;  // a buffer
    Node node;
    node.kind = Node::Kind::text;
    node.text = text.substr(colon + 1);
    node.line = fields.line();
    if (parse_user_argument(text)) return text;  // 0x10, 1e400
    const auto expression = fields.expression(node, fields.at("value"), names_);
    return text.substr(0, colon + 1) +
           (expression ? number_text(expression->value(lookup())) : "0");
  }

  std::string value_of(const Fields& fields, const std::string& type) {
    const Node& node = *fields.find("value");
    if (const Vector vector = vector_of(type); vector.count > 0) {
      const std::vector<double> numbers = fields.numbers("value");
      if (numbers.size() != static_cast<std::size_t>(vector.count))
        fields.refuse("value", type + " has " + std::to_string(vector.count) + " numbers",
                      "write value = [1, 2, …]");
      std::string members;
      for (const double number : numbers)
        members +=
            (members.empty() ? "" : ",") + std::string(vector.type) + ":" + number_text(number);
      return "struct:{" + members + "}";
    }
    std::string text = node.kind == Node::Kind::text    ? node.text
                       : node.kind == Node::Kind::whole ? std::to_string(node.whole)
                       : node.kind == Node::Kind::real  ? number_text(node.real)
                       : node.kind == Node::Kind::truth ? std::string(node.truth ? "1" : "0")
                                                        : std::string();
    if (text.empty()) fields.refuse("value", "it is not a value", kWriteValue);
    if (!type.empty() && text.find(':') == std::string::npos) text = type + ":" + text;
    const std::string words = value_words(fields, text);
    if (const auto good = parse_user_argument(words); !good)
      fields.refuse("value", good.error().what, kWriteValue);
    return words;
  }

  std::string count_of(const Fields& fields) {
    const char* const key = fields.has("shape") ? "shape" : "count";
    if (!fields.has(key)) return "";
    double count = 1;
    for (const Expression& extent : fields.expressions(key, 6, names_)) {
      const Result<std::int64_t> size = extent.whole(lookup());
      if (!size || *size < 0)
        fields.refuse(key, size ? "it is below 0" : size.error().what, "write a whole number");
      count *= size ? static_cast<double>(*size) : 0;
    }
    return number_text(count);
  }

  // Numbers of a CSR fill may be expressions: "csr indptr rows=m columns=k density=1/8".
  std::string fill_of(const Fields& fields) {
    const std::string text = fields.text("fill");
    if (!text.starts_with("csr ")) return text;
    std::string words;
    for (const std::string& word : words_of_line(text)) {
      const std::size_t equals = word.find('=');
      words += (words.empty() ? "" : " ") + word.substr(0, equals);
      if (equals == std::string::npos) continue;
      Node node;
      node.kind = Node::Kind::text;
      node.text = word.substr(equals + 1);
      node.line = fields.line();
      const auto expression = fields.expression(node, fields.at("fill"), names_);
      words += "=" + (expression ? number_text(expression->value(lookup())) : "0");
    }
    return words;
  }

  // A [[buffer]] is passed in structures alone: it is in no launch.
  void read_argument(const Node& node, UserLaunch* launch) {
    const std::string number = std::to_string(
        (launch != nullptr ? launch->arguments.size() : out_.user.buffers.size()) + 1);
    const Fields fields(errors_, node, root_.at("argument " + number), kArgumentKeys);
    const std::string name = fields.text("name", "argument_" + number), type = fields.text("type");
    if (launch != nullptr && fields.has("value")) {
      fields.refuse_unused(
          {"count", "shape", "fill", "file", "expect", "rtol", "atol", "out", "print"}, "value",
          "a value is passed as it is: remove it");
      launch->arguments.push_back(value_of(fields, type));
      return;
    }
    const std::string count = count_of(fields), file = fields.text("file");
    const std::string fill = fill_of(fields);
    if (count.empty() && file.empty() && !fill.starts_with("csr "))
      fields.refuse("count", "a buffer has no number of elements",
                    "write count = 1024, or file = \"x.npy\"");
    std::string words;
    if (file.empty()) {
      const std::string usual = fields.has("expect") ? "unset" : "random";
      words = (type.empty() ? "f32" : type) + "[" + count + "]:" + (fill.empty() ? usual : fill);
    } else {
      fields.refuse_unused({"fill"}, "file", "keep one of them");
      words = type + (count.empty() ? "" : (type.empty() ? "f32[" : "[") + count + "]") +
              (type.empty() && count.empty() ? "" : ":") + "@" + file_of(file);
    }
    if (const auto good = parse_user_argument(words); !good)
      fields.refuse(file.empty() ? "fill" : "file", good.error().what,
                    "write type = \"f32\", count = 1024, fill = \"random\"");
    out_.user.buffers.emplace_back(name, words);
    if (launch != nullptr) launch->arguments.push_back("&" + name);
    read_output(fields, name);
  }

  void read_output(const Fields& fields, const std::string& name) {
    UserOutput output;
    output.buffer = name;
    if (fields.has("expect")) output.expected_file = file_of(fields.text("expect"));
    if (fields.has("out")) output.out_file = file_of(fields.text("out"));
    if (const auto relative = fields.expression("rtol", names_))
      output.relative = relative->value(lookup());
    if (const auto absolute = fields.expression("atol", names_))
      output.absolute = absolute->value(lookup());
    if (fields.has("print")) {
      const Result<UserOutput> part = printed_part(name + "[" + fields.text("print") + "]");
      if (!part) fields.refuse("print", part.error().what, "write print = \"0:16\"");
      if (part) output.first = part->first, output.count = part->count;
    }
    if (!output.expected_file.empty() || !output.out_file.empty() || output.count != 0)
      out_.user.outputs.push_back(std::move(output));
  }

  void read_constant(const Node& node, UserLaunch& launch) {
    if (node.kind != Node::Kind::text) {
      root_.refuse("constant." + node.key, "it is not a text",
                   "write the name of a file, f32[9]:random or f32:2");
      return;
    }
    const bool file = node.text.ends_with(".npy") && node.text.find(':') == std::string::npos;
    std::string words = file ? "@" + file_of(node.text) : node.text;
    if (!file && node.text.find('[') == std::string::npos) words = value_words(root_, node.text);
    launch.variables.push_back(node.key + "=" + words);
    if (const auto good = parse_user_variable(launch.variables.back()); !good)
      root_.refuse("constant." + node.key, good.error().what, good.error().remedy);
  }

  DescriptionErrors errors_;
  Fields root_;
  fs::path folder_;
  LaunchFile out_;
  std::vector<ExpressionName> names_;
  std::vector<std::pair<std::string, double>> values_;
  std::string unknown_;
};

}  // namespace

Result<LaunchFile> parse_launch_file(std::string_view text, const fs::path& file,
                                     const std::map<std::string, std::string>& values) {
  const Result<Node> node = parse_description(text, file.string());
  if (!node) return tl::unexpected(node.error());
  return Reader(*node, file).all(values);
}

Result<UserOutput> printed_part(std::string_view text) {
  constexpr std::int64_t kUsual = 16;
  UserOutput part;
  const std::size_t open = text.find('[');
  part.buffer = text.substr(0, open);
  part.count = kUsual;
  const auto refuse = [&] {
    return failure(ErrorKind::usage, "“" + std::string(text) + "” does not name elements",
                   "--print", "write c[0:16], c[3] or c");
  };
  if (part.buffer.empty()) return refuse();
  if (open == std::string_view::npos) return part;
  if (!text.ends_with(']')) return refuse();
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  const char* const end = inside.data() + inside.size();
  std::int64_t last = 0;
  const auto first = std::from_chars(inside.data(), end, part.first);
  if (first.ec != std::errc() || part.first < 0) return refuse();
  part.count = 1;
  if (first.ptr == end) return part;
  const auto after = std::from_chars(first.ptr + 1, end, last);
  if (*first.ptr != ':' || after.ec != std::errc() || after.ptr != end || last <= part.first)
    return refuse();
  part.count = last - part.first;
  return part;
}

}  // namespace warpscope
