// workbench/serve/serve_edit.cpp: what the request edit of `warpscope serve` does.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "scenes/folder_file.h"
#include "scenes/host/input_file.h"
#include "scenes/read_folder.h"
#include "workbench/commands/commands.h"
#include "workbench/serve/server.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The text with changes by lines, from the last to the first; error: usage.
Result<std::string> with_lines(const std::string& text, const json& changes) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  struct Change {
    std::int64_t from = 0, to = 0;
    std::string text;
  };
  std::vector<Change> all;
  const auto count = static_cast<std::int64_t>(lines.size());
  for (const json& each : changes) {
    const bool whole = each.is_object() && each.contains("from") && each.contains("to") &&
                       each.contains("text") && each["from"].is_number_integer() &&
                       each["to"].is_number_integer() && each["text"].is_string();
    Change change;
    if (whole) change = {each["from"], each["to"], each["text"]};
    if (!whole || change.from < 1 || change.to < change.from - 1 || change.to > count ||
        change.from > count + 1)
      return failure(ErrorKind::usage, "a change names lines outside the " + std::to_string(count),
                     "lines", "send {\"from\": 3, \"to\": 4, \"text\": \"…\\n\"}");
    if (!change.text.empty() && change.text.back() != '\n') change.text += '\n';
    all.push_back(std::move(change));
  }
  std::sort(all.begin(), all.end(),
            [](const Change& a, const Change& b) { return a.from > b.from; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].to >= all[i - 1].from)
      return failure(ErrorKind::usage, "two changes name one line", "lines", "join them");
    lines.erase(lines.begin() + all[i].from - 1, lines.begin() + all[i].to);
    lines.insert(lines.begin() + all[i].from - 1, all[i].text);
  }
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

// Writes a file of a scene's folder; where the folder does not open with it, what stood there
// stands there again. What is wrong with a description is said now; what a compiler says, when it
// is verified. error: of the description; environment.
Result<void> write_that_opens(Catalogue& catalogue, const fs::path& folder, const FolderFile& file,
                              const std::string& text) {
  Result<std::string> before;
  if (file.there()) before = file.read(kMostTextFileBytes);
  if (!before) return tl::unexpected(before.error());
  if (Result<void> written = file.write(text); !written) return written;
  const Result<const Scene*> opened = catalogue.open_folder(folder);
  if (opened) return {};
  if (file.there()) {
    if (Result<void> back = file.write(*before); !back) return back;
  } else {
    file.remove();
  }
  return tl::unexpected(opened.error());
}

// A text that the scene is compiled from or described by, or a new kernel or header. Its journal,
// its arrays and whatever else lies in the folder are not for an edit.
bool is_text_of(const Catalogue& catalogue, const std::string& scene, const std::string& file) {
  const std::string name = fs::path(file).lexically_normal().string();
  if (name == kDescriptionFile) return true;
  for (const char* ending : {".cu", ".cuh", ".h", ".hpp"}) {
    if (fs::path(name).extension() == ending) return true;
  }
  const auto text = catalogue.text(scene);
  return text != nullptr &&
         std::any_of(text->sources.begin(), text->sources.end(), [&](const KernelSource& each) {
           return each.path == name || each.path == scene + "/" + name;
         });
}

}  // namespace

Result<std::string> scene_to_edit(Catalogue& catalogue, const std::string& text) {
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(fs::absolute(text, ignored), ignored);
  for (const Scene* scene : catalogue.opened()) {
    if (catalogue.folder_of(scene->name) == folder) return scene->name;
  }
  const Result<SceneAndVariants> chosen = scene_argument(catalogue, text);
  if (!chosen) return tl::unexpected(chosen.error());
  return chosen->scene->name;
}

Result<json> Server::edit(const ServeRequest& request) {
  const Result<std::string> named = scene_to_edit(*catalogue_, request.text("scene"));
  if (!named) return tl::unexpected(named.error());
  const std::string &scene = *named, file = request.text("file");
  const fs::path folder = catalogue_->folder_of(scene);
  if (folder.empty())
    return failure(ErrorKind::usage, "the scene is not a folder, so its texts cannot be edited",
                   scene, "fork one of its variants first");
  if (!is_text_of(*catalogue_, scene, file))
    return failure(ErrorKind::usage, "this is not a kernel, header or description of the scene",
                   file, "name a .cu, .cuh, .h or .hpp file, or scene.toml");
  const Result<FolderFile> place = FolderFile::at(folder, file);
  if (!place) return tl::unexpected(place.error());
  const bool whole = request.fields.contains("text"), lines = request.fields.contains("lines");
  if (whole == lines)
    return failure(ErrorKind::usage, "an edit needs either a text or lines", "request edit",
                   "send one of the two");
  Result<std::string> text = request.text("text");
  if (lines) {
    text = place->read(kMostTextFileBytes);
    if (text) text = with_lines(*text, request.fields["lines"]);
  }
  if (!text) return tl::unexpected(text.error());
  Result<void> written = begin_journal(scene).and_then(
      [&] { return write_that_opens(*catalogue_, folder, *place, *text); });
  if (!written) return tl::unexpected(written.error());
  if (const std::string expected = request.text("hypothesis"); !expected.empty())
    expected_[scene] = expected;
  return json{{"file", file},
              {"hash", catalogue_->text(scene) ? catalogue_->text(scene)->hash : ""},
              {"lines", std::count(text->begin(), text->end(), '\n')}};
}

}  // namespace warpscope
