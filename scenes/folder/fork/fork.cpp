// scenes/folder/fork/fork.cpp: a variant of any scene copied into a folder, to be edited there.
#include "scenes/folder/fork/fork.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/captured_folder.h"
#include "scenes/folder/description_node.h"
#include "scenes/folder/folder_model.h"
#include "scenes/folder/fork/copied_texts.h"
#include "scenes/folder_file.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

// "warp_row" of "warp_row_fork" and "warp_row_fork_2".
std::string without_fork(const std::string& name) {
  const std::size_t at = name.rfind("_fork");
  if (at == std::string::npos || at == 0) return name;
  const std::string rest = name.substr(at + 5);
  const bool numbered = rest.size() > 1 && rest[0] == '_' &&
                        rest.find_first_not_of("0123456789", 1) == std::string::npos;
  return rest.empty() || numbered ? name.substr(0, at) : name;
}

std::string name_of_copy(const Scene& scene, const std::string& parent) {
  const std::string base = without_fork(parent) + "_fork";
  std::string name = base;
  for (int i = 2; find_variant(scene, name) != nullptr; ++i) name = base + "_" + std::to_string(i);
  return name;
}

std::string comma(const Dim3& shape) {
  return "[" + std::to_string(shape.x) + ", " + std::to_string(shape.y) + ", " +
         std::to_string(shape.z) + "]";
}

// The table of a copy, with what may be written besides as comments; `launches`: the parent's where
// the copy stands at first.
std::string variant_text(const Variant& parent, const std::string& name, const CopiedTexts& texts,
                         const LaunchedKernels& launched,
                         const std::map<std::string, Launch>& launches) {
  std::string out = "\n[variants." + name + "]\nparent = " + in_quotes(parent.name) + "\n";
  out += "label = " + in_quotes("fork of " + parent.label) + "\n";
  out += "sentence = \"A copy of " + parent.name + ", to be changed.\"\n";
  out += "sources = {";
  for (const auto& [from, to] : texts.replaced)
    out += (out.back() == '{' ? " " : ", ") + in_quotes(from) + " = " + in_quotes(to);
  out += " }  # the parent's kernels and the files here that replace them\n";
  out +=
      "# If a step needs another launch: numbers, or arithmetic of the axes. What is not\n# "
      "written is the same as the parent's.\n";
  for (const auto& [step, kernel] : launched.steps) {
    const auto launch = launches.find(step);
    out += "# launch." + in_quotes(step) + " = { ";
    if (launch != launches.end())
      out += "grid = " + comma(launch->second.grid) + ", block = " + comma(launch->second.block) +
             ", ";
    out += "define = { NAME = 4 } }\n";
  }
  return out;
}

std::string defaults_text(const std::map<std::string, std::string>& axes) {
  std::string out;
  for (const auto& [name, value] : axes)
    out += (out.empty() ? "\n[defaults]\n" : "") + name + " = " + in_quotes(value) + "\n";
  return out;
}

// Without the line that gives it a name of its own: the new folder's counts.
std::string without_name(const std::string& description) {
  const Result<Node> root = parse_description(description, "");
  const Node* name = root ? root->find("name") : nullptr;
  if (name == nullptr) return description;
  std::string out;
  int line = 1;
  for (std::size_t begin = 0; begin < description.size(); ++line) {
    const std::size_t end = std::min(description.find('\n', begin), description.size() - 1) + 1;
    if (line != name->line) out += description.substr(begin, end - begin);
    begin = end;
  }
  return out;
}

Error refused(std::string what, const std::string& where, std::string remedy) {
  return {ErrorKind::usage, std::move(what), where, std::move(remedy)};
}

// A variant with nothing to edit, and one that has.
Error nothing_to_edit(const Scene& scene, const Variant& variant) {
  std::string others;
  for (const Variant& v : scene.variants) {
    if (v.own_kernels && v.name != variant.name && others.size() < 60)
      others += (others.empty() ? "" : ", ") + v.name;
  }
  return refused("it has no kernel of Warpscope: it calls a library, or runs on the host",
                 scene.name + "/" + variant.name,
                 others.empty() ? "choose another scene" : "fork one with a kernel: " + others);
}

// With the file of kernels said: until now it went without saying, as there was one.
std::string with_source(const SceneText& folder, std::string description) {
  const Result<Node> root = parse_description(description, "");
  if (!root || root->find("source") != nullptr || root->find("fork") != nullptr) return description;
  const std::string own = folder.name + "/";
  std::vector<std::string> kernels;
  for (const KernelSource& source : folder.sources) {
    if (source.path.starts_with(own) && source.path.ends_with(".cu"))
      kernels.push_back(source.path.substr(own.size()));
  }
  if (kernels.size() != 1) return description;
  return "source = " + in_quotes(kernels.front()) +
         "  # for variants that name no other; there are several now\n" + description;
}

// Where a copy stands at first: what is typed, and of a built-in scene the choice (op = transpose)
// at which the variant applies. A folder's other variants keep its defaults.
struct Stand {
  std::map<std::string, std::string> typed;
  Configuration axes;
};

Result<Stand> stand_of(const Scene& scene, const Variant& variant,
                       const std::map<std::string, std::string>& typed, bool in_folder) {
  Result<Configuration> axes = configured(scene, variant.name, typed);
  if (!axes) return tl::unexpected(axes.error());
  Stand stand{typed, std::move(*axes)};
  const auto elsewhere = in_folder ? std::nullopt : where_applies(scene, variant, stand.axes);
  if (!elsewhere) return stand;
  for (const Axis& axis : scene.axes) {
    if (axis.kind == AxisKind::choice && typed.count(axis.name) == 0 && stand.axes.has(axis.name) &&
        elsewhere->has(axis.name) && elsewhere->at(axis.name) != stand.axes.at(axis.name))
      stand.typed[axis.name] = to_text(elsewhere->at(axis.name));
  }
  axes = configured(scene, variant.name, stand.typed);
  if (!axes) return tl::unexpected(axes.error());
  stand.axes = std::move(*axes);
  return stand;
}

// What stands on the disk of a fork.
struct Draft {
  std::vector<std::pair<std::string, std::string>> files;  // the description is the last
  std::vector<std::string> edited;
};

Draft draft_of(const Scene& scene, const Variant& variant, const std::string& name,
               const Stand& stand, const SceneText* folder, bool moves,
               const LaunchedKernels& launched, CopiedTexts texts) {
  Draft draft;
  if (folder != nullptr && moves) draft.files = files_of(*folder);
  for (KernelSource& file : texts.files) {
    draft.edited.push_back(file.path);
    draft.files.emplace_back(file.path, std::move(file.text));
  }
  std::string description;
  if (folder != nullptr) {
    description = moves ? without_name(folder->description) : own_description(*folder);
    description = with_source(*folder, std::move(description));
    if (!description.empty() && description.back() != '\n') description += "\n";
  } else {
    description = "# A fork of " + scene.name + "/" + variant.name +
                  ": edit the .cu files beside this one and save.\n# The rest comes from the scene "
                  "of that name: axes, inputs, reference, tolerance, work, variants.\nfork = " +
                  in_quotes(scene.name) + "\n";
  }
  description += defaults_text(stand.typed) +
                 variant_text(variant, name, texts, launched, launches_at(variant, stand.axes));
  draft.files.emplace_back(kDescriptionFile, std::move(description));
  return draft;
}

// Checks that the result can be read as a scene before it is written.
Result<void> check(const Draft& draft, const std::string& name, const SceneText* folder) {
  SceneText text;
  text.name = name;
  text.file = kDescriptionFile;
  if (folder != nullptr) text.sources = folder->sources, text.data = folder->data;
  const std::string old = folder == nullptr ? name : folder->name;
  for (KernelSource& source : text.sources) {
    if (source.path.starts_with(old + "/")) source.path = name + source.path.substr(old.size());
  }
  for (const auto& [path, content] : draft.files) {
    if (path == kDescriptionFile) text.description = content;
    if (path.ends_with(".cu") || path.ends_with(".cuh"))
      text.sources.push_back(kernel_source(name + "/" + path, content));
  }
  const Result<Scene> made = scene_of(text);
  if (made) return {};
  return tl::unexpected(
      refused("the copy cannot be added to this description: " + made.error().what,
              made.error().where, "write tables as [variants.NAME] and [defaults], once each"));
}

}  // namespace

fs::path fork_folder(const Catalogue& catalogue, const Scene& scene, const Variant& variant) {
  const fs::path own = catalogue.folder_of(scene.name);
  if (!own.empty()) return own;
  const fs::path scenes = user_scene_folder();
  return scenes.empty() ? scenes : scenes / (scene.name + "_" + variant.name);
}

fs::path free_fork_folder(const Catalogue& catalogue, const Scene& scene, const Variant& variant) {
  const fs::path folder = fork_folder(catalogue, scene, variant);
  if (folder.empty() || folder == catalogue.folder_of(scene.name)) return folder;
  std::error_code ignored;
  fs::path free = folder;
  for (int i = 2; fs::exists(free, ignored) || catalogue.text(free.filename().string()); ++i)
    free = folder.string() + "_" + std::to_string(i);
  return free;
}

Result<Fork> write_fork(const Catalogue& catalogue, const Scene& scene, const Variant& variant,
                        const ForkWish& wish) {
  const auto folder = catalogue.text(scene.name);
  const fs::path own = catalogue.folder_of(scene.name);
  std::error_code ignored;
  if (wish.to.empty() && fork_folder(catalogue, scene, variant).empty())
    return tl::unexpected(refused("there is no folder for the copy: HOME is not set", "",
                                  std::string("name a folder with ") + wish.to_words));
  const fs::path to =
      fs::absolute(wish.to.empty() ? fork_folder(catalogue, scene, variant) : wish.to, ignored)
          .lexically_normal();
  const bool moves = own.empty() || to != own;
  const std::string scene_name = moves ? to.filename().string() : scene.name;
  if (!folder::is_name(scene_name))
    return tl::unexpected(
        refused("“" + scene_name + "” is not a valid name for a scene", to.string(),
                std::string("give ") + wish.to_words + " a folder of letters, digits, _ and -"));
  if (moves && fs::exists(to, ignored))
    return tl::unexpected(
        refused("the folder exists already and is not overwritten", to.string(),
                std::string("give another one with ") + wish.to_words + ", or move it away"));
  if (!variant.own_kernels) return tl::unexpected(nothing_to_edit(scene, variant));
  const Result<Stand> stand = stand_of(scene, variant, wish.axes, folder != nullptr);
  if (!stand) return tl::unexpected(stand.error());
  const Result<LaunchedKernels> launched = launched_kernels(scene, variant);
  if (!launched) return tl::unexpected(launched.error());
  if (launched->paths.empty()) return tl::unexpected(nothing_to_edit(scene, variant));
  const std::string name = name_of_copy(scene, variant.name);
  Result<CopiedTexts> texts =
      copied_texts(catalogue.source_lookup(), scene.name, launched->paths, name, folder.get());
  if (!texts) return tl::unexpected(texts.error());
  const Draft draft =
      draft_of(scene, variant, name, *stand, folder.get(), moves, *launched, std::move(*texts));
  if (Result<void> good = check(draft, scene_name, folder.get()); !good)
    return tl::unexpected(good.error());
  const Fork made{to, name, draft.edited, moves};
  for (const auto& [path, content] : draft.files) {
    fs::create_directories((to / path).parent_path(), ignored);
    if (Result<void> written = write_in_folder(to, path, content); !written) {
      take_back(made);
      return tl::unexpected(written.error());
    }
  }
  return made;
}

void take_back(const Fork& fork) {
  std::error_code ignored;
  if (fork.own_folder) fs::remove_all(fork.folder, ignored);
}

}  // namespace warpscope
