// workbench/window/open_file.cpp: a file goes to where its kind belongs.
#include <algorithm>
#include <utility>

#include "scenes/host/paths.h"
#include "workbench/window/frame.h"
#include "workbench/window/open_dialog.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

RecentFiles& recent_of(FrameState& state) {
  OpenDialog& dialog = state.open;
  if (!dialog.recent) {
    Result<RecentFiles> loaded = load_recent();
    if (!loaded) toast(state, sentence(loaded.error()));
    dialog.recent = loaded ? std::move(*loaded) : RecentFiles{};
  }
  return *dialog.recent;
}

void keep(FrameState& state, FileKind kind, const fs::path& path) {
  RecentFiles& recent = recent_of(state);
  remember(recent, kind, path);
  if (const Result<void> saved = save_recent(recent); !saved) toast(state, sentence(saved.error()));
}

// Below kernels/ a path is as a trace has it; elsewhere it is whole.
std::string kernel_name(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(path, ignored);
  const Result<fs::path> home = home_folder();
  if (!home) return whole.string();
  const std::string inside =
      whole.lexically_relative(fs::weakly_canonical(*home / "kernels", ignored)).string();
  return inside.empty() || inside.starts_with("..") ? whole.string() : inside;
}

void open_kernel(Workspace& workspace, FrameState& state, const fs::path& path) {
  const std::string name = kernel_name(path);
  workspace.selection.show_source = {name, 1};
  if (name.starts_with("/")) {
    toast(state, path.filename().string() +
                     " is shown in Source. To run it on the emulator: warpscope trace --source " +
                     name + " --kernel NAME --grid … --block … --arg …");
  } else {
    toast(state, "kernels/" + name +
                     " is shown in Source: choose a variant that launches it to "
                     "see its figures");
  }
}

}  // namespace

void use_file(Workspace& workspace, FrameState& state, const FileUse& use) {
  if (use.scene != workspace.scene().name) {
    if (const Result<void> turned = workspace.choose_scene(use.scene); !turned)
      return toast(state, sentence(turned.error()));
  }
  Selection& selection = workspace.selection;
  const auto axes = with_values(workspace.scene().axes, selection.axes, use.changes);
  if (!axes) return toast(state, sentence(axes.error()));
  selection.axes = *axes;
  const std::string file = use.changes.at(use.axis);
  const Result<void> admitted = workspace.scene().admit(*axes);
  toast(state, admitted ? fs::path(file).filename().string() + " is the " + use.label + " of " +
                              use.scene + " now; undo takes it back"
                        : sentence(admitted.error()));
}

void open_file(Workspace& workspace, FrameState& state, const fs::path& path) {
  if (const std::string why = why_missing(path.string()); !why.empty())
    return toast(state, path.string() + " cannot be opened: " + why);
  const FileKind kind = kind_of(path);
  if (kind == FileKind::session) {
    if (const Result<void> opened = workspace.open(path); !opened)
      return toast(state, sentence(opened.error()));
  } else if (kind == FileKind::lesson) {
    state.lesson_wish = path;
  } else if (kind == FileKind::kernel) {
    open_kernel(workspace, state, path);
  } else {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path, ignored);
    std::vector<FileUse> uses = uses_of(built_in_catalogue(), whole);
    if (uses.empty()) {
      return toast(state, path.filename().string() +
                              " is of no kind that Warpscope opens: sessions (.wsj), lessons "
                              "(.json), matrices (.mtx), arrays (.npy, .raw), kernels (.cu, .ptx)");
    }
    if (uses.size() == 1) {
      use_file(workspace, state, uses.front());
    } else {
      state.open.offered = whole;
      state.open.uses = std::move(uses);
    }
  }
  if (kind != FileKind::unknown) keep(state, kind, path);
}

}  // namespace warpscope
