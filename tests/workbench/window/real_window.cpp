// tests/workbench/window/real_window.cpp: the real window on an X display of its own, driven by
// mouse and keys and waited for by what it tells.
#include "tests/workbench/window/real_window.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/folders.h"
#include "tests/recorded_session.h"
#include "workbench/client/child_process.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kNever{60};  // on a machine that does much else
constexpr std::chrono::milliseconds kLook{2};

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

void end(pid_t process, int signal) {
  if (process <= 0) return;
  ::kill(process, signal);
  ::waitpid(process, nullptr, 0);
}

std::vector<std::string> words_of(const std::string& text, char between) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, between);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// A line that a program writes when it is ready; empty: it ended, or took too long.
std::string first_line(int descriptor) {
  std::string line;
  pollfd waited{descriptor, POLLIN, 0};
  const auto start = Clock::now();
  while (Clock::now() - start < kNever && line.find('\n') == std::string::npos) {
    if (::poll(&waited, 1, 100) == 0) continue;
    char text[64];
    const ssize_t count = ::read(descriptor, text, sizeof text);
    if (count <= 0) return "";
    line.append(text, static_cast<std::size_t>(count));
  }
  return line.substr(0, line.find('\n'));
}

}  // namespace

Box box_of(const nlohmann::json& told) {
  if (!told.is_array() || told.size() != 4) return {};
  return {told[0].get<float>(), told[1].get<float>(), told[2].get<float>(), told[3].get<float>()};
}

Screen::Screen(const std::string& size) {
  for (const char* program : {"Xvfb", "xdotool"}) {
    if (is_installed(program)) continue;
    trouble_ = std::string(program) + " is not installed";
    return;
  }
  // Without its own repetition of keys: how long one is held is no matter.
  const ChildProcess server = start_child({"Xvfb", "-displayfd", "1", "-screen", "0", size + "x24",
                                           "-nolisten", "tcp", "-noreset", "-r"});
  process_ = server.process;
  const std::string number = first_line(server.from_child);
  if (number.empty()) trouble_ = "Xvfb does not start";
  name_ = ":" + number;
}

Screen::~Screen() { end(process_, SIGTERM); }

Person::Person() {
  static int persons = 0;
  folder_ = fs::temp_directory_path() /
            ("warpscope-window-" + std::to_string(::getpid()) + "-" + std::to_string(++persons));
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

Person::~Person() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

RealWindow::RealWindow(const Screen& screen, const Person& person, const std::string& arguments,
                       bool session)
    : display_(screen.name()), folder_(person.folder()), told_file_(folder_ / "told.jsonl") {
  fs::remove(told_file_);
  std::vector<std::string> command = {"sh",
                                      "-c",
                                      "cd " + folder_.string() + " && exec \"$@\" > said 2>&1",
                                      "sh",
                                      "env",
                                      "DISPLAY=" + display_,
                                      "XDG_CONFIG_HOME=" + folder_.string(),
                                      "XDG_DATA_HOME=" + folder_.string() + "/data",
                                      "LIBGL_ALWAYS_SOFTWARE=1",
                                      built_program("warpscope"),
                                      "--tell",
                                      told_file_.string()};
  if (session) command.insert(command.end(), {"--session", recorded_session("csrmm").string()});
  for (std::string& word : words_of(arguments, ' ')) command.push_back(std::move(word));
  process_ = start_child(std::move(command)).process;
  const ChildProcess xdotool = start_child({"env", "DISPLAY=" + display_, "xdotool", "-"});
  xdotool_ = xdotool.process;
  to_xdotool_ = xdotool.to_child;
  if (!until("the window opens", [](const Told& told) { return told.is_object(); })) return;
  id_ = answer_of_xdotool("search --onlyvisible --name ^Warpscope$");
  tell_xdotool("windowfocus W");
  until("its pictures have come", [](const Told& told) { return !told["busy"] && told["rests"]; });
}

RealWindow::~RealWindow() {
  close();
  ::close(to_xdotool_);
  end(xdotool_, SIGTERM);
}

RealWindow::Told RealWindow::close() {
  end(std::exchange(process_, -1), SIGTERM);
  return now();
}

const RealWindow::Told& RealWindow::now() {
  std::ifstream file(told_file_);
  file.seekg(read_);
  std::string last;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    read_ = file.tellg();
    last = std::move(line);
  }
  if (!last.empty()) told_ = Told::parse(last, nullptr, false);
  return told_;
}

bool RealWindow::until(const char* what, const std::function<bool(const Told&)>& holds) {
  if (gone_) return false;  // said once
  const auto start = Clock::now();
  while (Clock::now() - start < kNever) {
    if (holds(now())) return true;
    if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
    if (process_ <= 0) break;
    std::this_thread::sleep_for(kLook);
  }
  gone_ = true;
  std::ifstream said(folder_ / "said");
  ADD_FAILURE() << "it never came that " << what << (process_ > 0 ? "" : ": the window has ended")
                << "\ntold: " << told_.dump() << "\nsaid: " << said.rdbuf();
  return false;
}

// The window has seen as many keys and buttons down as are, and has drawn what they did.
void RealWindow::settle(int held) {
  held_ = held;
  until("keys and buttons are seen",
        [held](const Told& told) { return told["held"] == held && (held > 0 || told["rests"]); });
}

void RealWindow::hold(const std::string& key) {
  tell_xdotool("keydown " + key);
  settle(held_ + 1);
}
void RealWindow::let_go(const std::string& key) {
  tell_xdotool("keyup " + key);
  settle(held_ - 1);
}
void RealWindow::press(const std::string& keys) {
  std::vector<std::string> names = words_of(keys, '+');
  for (const std::string& name : names) hold(name);
  for (auto name = names.rbegin(); name != names.rend(); ++name) let_go(*name);
}

void RealWindow::move(float x, float y) {
  const int column = static_cast<int>(x), row = static_cast<int>(y);
  tell_xdotool("mousemove --window W " + std::to_string(column) + " " + std::to_string(row));
  until("the pointer is there", [&](const Told& told) {
    return told["pointer"]["at"] == Told{column, row};
  });
}
void RealWindow::hold_button() {
  tell_xdotool("mousedown 1");
  settle(held_ + 1);
}
void RealWindow::let_go_button() {
  tell_xdotool("mouseup 1");
  settle(held_ - 1);
}
void RealWindow::click(const Box& box) {
  ASSERT_FALSE(box.empty());
  move((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
  hold_button();
  let_go_button();
}
void RealWindow::turn_wheel(int times) {
  for (int i = 0; i < times; ++i) tell_xdotool("click 4");
}

void RealWindow::go_to_region(const std::string& window) {
  constexpr int kMost = 10;
  for (int i = 0; i < kMost && !gone_; ++i) {
    press("F6");
    if (now()["focus"]["window"].get<std::string>().find(window) != std::string::npos) return;
  }
  ADD_FAILURE() << "F6 does not lead to " << window;
}

Box RealWindow::tab_to(const std::string& window, std::initializer_list<const char*> names) {
  constexpr int kMost = 150;
  for (int i = 0; i < kMost && !gone_; ++i) {
    press("Tab");
    const Told focus = now()["focus"];
    const auto in = focus["window"].get<std::string>();
    if (in.find(window) == std::string::npos) continue;
    ImGuiID id = ImHashStr(in.c_str());
    for (const char* name : names) id = ImHashStr(name, 0, id);
    if (focus["id"] == id) return box_of(focus["box"]);
  }
  ADD_FAILURE() << "Tab does not lead to " << std::data(names)[names.size() - 1];
  return {};
}

Box RealWindow::panel(const std::string& name) {
  const Told& boxes = now()["panels"];
  return boxes.contains(name) ? box_of(boxes[name]) : Box{};
}

std::array<int, 4> RealWindow::place() const {
  std::array<int, 4> place{};
  const std::string shell = answer_of_xdotool("getwindowgeometry --shell " + id_);
  for (const std::string& line : words_of(shell, '\n')) {
    const std::size_t is = line.find('=');
    const char* names[] = {"X", "Y", "WIDTH", "HEIGHT"};
    for (std::size_t i = 0; i < place.size() && is != std::string::npos; ++i) {
      if (line.substr(0, is) == names[i]) place[i] = std::atoi(line.c_str() + is + 1);
    }
  }
  return place;
}

void RealWindow::tell_xdotool(const std::string& line) {
  std::string filled;
  for (const std::string& word : words_of(line, ' ')) filled += (word == "W" ? id_ : word) + " ";
  filled += "\n";
  if (::write(to_xdotool_, filled.data(), filled.size()) != static_cast<ssize_t>(filled.size()))
    ADD_FAILURE() << "xdotool has ended";
}

std::string RealWindow::answer_of_xdotool(const std::string& words) const {
  FILE* pipe = ::popen(("DISPLAY=" + display_ + " xdotool " + words).c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  for (char part[256]; std::fgets(part, sizeof part, pipe) != nullptr;) text += part;
  ::pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace warpscope
