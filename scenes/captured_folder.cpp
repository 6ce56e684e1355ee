// scenes/captured_folder.cpp: a scene's folder with a capture.
#include "scenes/captured_folder.h"

#include <algorithm>
#include <optional>

#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// After the folder's own lines; the line with the key follows a title, as a comment.
constexpr const char* kBegins = "\n# From the capture:\n";
constexpr const char* kTitle = "title = ";
constexpr const char* kWas = "  # was: ";

Error refused(const SceneText& text, const Node& key, std::string what) {
  return {ErrorKind::input, std::move(what), text.file + ":" + std::to_string(key.line),
          "write capture = { file = \"norm.wcap\", elements = \"f32\", tolerance = 1e-5 }"};
}

struct Wish {
  std::string file;
  CaptureElements elements;
};

Result<Wish> wish_of(const Node& key, const SceneText& text) {
  Wish wish;
  const auto number = [](const Node& node) {
    return node.kind == Node::Kind::whole ? static_cast<double>(node.whole) : node.real;
  };
  if (key.kind == Node::Kind::text) wish.file = key.text;
  for (const Node& item : key.items) {
    const bool is_number = item.kind == Node::Kind::whole || item.kind == Node::Kind::real;
    if (item.key == "file" && item.kind == Node::Kind::text) {
      wish.file = item.text;
    } else if (item.key == "elements" && item.kind == Node::Kind::text) {
      wish.elements.type = item.text;
    } else if (item.key == "tolerance" && is_number) {
      wish.elements.relative = number(item);
    } else if (item.key == "absolute" && is_number) {
      wish.elements.absolute = number(item);
    } else {
      return tl::unexpected(refused(text, item, "“" + item.key + "” is not a key of capture"));
    }
  }
  const fs::path name = wish.file;
  if (!wish.file.empty() && !name.has_parent_path()) return wish;
  return tl::unexpected(
      refused(text, key, "capture names no file beside the description: “" + wish.file + "”"));
}

// Where a line begins, and its end without the newline. Lines count from 1.
std::pair<std::size_t, std::size_t> line_at(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  return {begin, std::min(text.find('\n', begin), text.size())};
}

std::size_t place_of_capture(const SceneText& text) { return text.description.find(kBegins); }

}  // namespace

Result<void> add_capture(const fs::path& folder, const Node& key, const FileReaders& readers,
                         SceneText& text) {
  const Result<Wish> wish = wish_of(key, text);
  if (!wish) return tl::unexpected(wish.error());
  CaptureElements elements = wish->elements;
  elements.fixed_launch = true;
  const Result<SceneText> captured =
      read_capture(readers, (folder / wish->file).string(), text.name, elements);
  if (!captured) return tl::unexpected(captured.error());
  const std::string& all = captured->description;
  const std::size_t tables = std::min(all.find("\n["), all.size());
  const std::string title = all.substr(0, all.find('\n'));  // title = "…"
  const Result<Node> own = parse_description(text.description, text.file);
  const bool titled = own && own->find("title") != nullptr;
  const auto [begin, end] = line_at(text.description, key.line);
  const std::string line = text.description.substr(begin, end - begin);
  text.description.replace(begin, end - begin, (titled ? "" : title) + kWas + line);
  text.description += kBegins + all.substr(std::min(tables + 1, all.size()));
  text.sources.insert(text.sources.end(), captured->sources.begin(), captured->sources.end());
  text.data.insert(text.data.end(), captured->data.begin(), captured->data.end());
  return {};
}

bool has_capture(const SceneText& text) { return place_of_capture(text) != std::string::npos; }

std::string own_description(const SceneText& text) {
  if (!has_capture(text)) return text.description;
  std::string own = text.description.substr(0, place_of_capture(text));
  const std::size_t was = own.find(kWas);
  if (was == std::string::npos) return own;
  const std::size_t line = own.rfind('\n', was);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1;
  return own.erase(begin, was + std::char_traits<char>::length(kWas) - begin);
}

SceneText without_capture(const SceneText& text) {
  if (!has_capture(text)) return text;
  SceneText own = text;
  own.description = own_description(text);
  const std::string captured = text.name + "/" + kCaptureSource;
  std::erase_if(own.sources, [&](const KernelSource& source) {
    return source.path.starts_with(captured) || source.path.starts_with("/");
  });
  own.data.clear();
  return own;
}

}  // namespace warpscope
