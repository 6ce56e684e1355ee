// tests/workbench/window/real_window.h: the real window on an X display of its own, driven by mouse
// and keys and waited for by what it tells.
#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "workbench/drawing/box.h"

//   const Screen screen;                       // an Xvfb of its own: nobody else gets its keys
//   if (!screen.trouble().empty()) GTEST_SKIP() << screen.trouble();
//   const Person person;                       // a folder: settings, and what the window writes
//   RealWindow window(screen, person, "--theme light");
//   window.press("ctrl+z");
//   window.until("the lesson is left", [](const auto& told) { return told["lesson"] == ""; });
//
// Nothing waits for a time: a press is over when the window has told that it saw the key go down
// and up again (workbench/window/tell.h). What never comes is a failure after a minute.

namespace warpscope {

class Screen {
 public:
  explicit Screen(const std::string& size = "2560x1440");
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();
  // Why there is none: a program is missing; empty: it is there.
  const std::string& trouble() const { return trouble_; }
  const std::string& name() const { return name_; }  // ":7"

 private:
  pid_t process_ = -1;
  std::string name_, trouble_;
};

// Settings and files of one person, who may open several windows one after the other.
class Person {
 public:
  Person();
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;
  ~Person();
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

class RealWindow {
 public:
  using Told = nlohmann::json;
  // Opens the recorded session of csrmm, or without `session` what a start shows, in a window of
  // 1600 × 900, or as `arguments` say, and returns when its first frames are drawn and no engine
  // works any more.
  RealWindow(const Screen& screen, const Person& person, const std::string& arguments = "",
             bool session = true);
  RealWindow(const RealWindow&) = delete;
  RealWindow& operator=(const RealWindow&) = delete;
  ~RealWindow();
  // Ends it as by hand. Returns what it told last.
  Told close();

  // What it told last.
  const Told& now();
  // Waits until what it tells holds; a failure that says `what` where that never comes.
  bool until(const char* what, const std::function<bool(const Told&)>& holds);
  // Keys that go down one after the other and up again: "Next", "ctrl+shift+s".
  void press(const std::string& keys);
  void hold(const std::string& key);
  void let_go(const std::string& key);
  void move(float x, float y);
  void hold_button();
  void let_go_button();
  void click(const Box& box);
  // With no button pressed: turns of the wheel away from the person.
  void turn_wheel(int times);
  // F6 until a window whose name has this part has the focus.
  void go_to_region(const std::string& window);
  // Tab until the control with this name has the focus: of "axes", {"n", "##value"} the slider of
  // n. `window` is part of its window's name. Returns its box, which is empty where there is none.
  Box tab_to(const std::string& window, std::initializer_list<const char*> names);
  Box panel(const std::string& name);
  // The place of the window on the display: x, y, width, height.
  std::array<int, 4> place() const;
  // A line for xdotool, in which W stands for the window.
  void tell_xdotool(const std::string& line);

 private:
  void settle(int held);
  std::string answer_of_xdotool(const std::string& words) const;

  std::string display_, id_;
  std::filesystem::path folder_, told_file_;
  pid_t process_ = -1, xdotool_ = -1;
  int to_xdotool_ = -1;
  std::streamoff read_ = 0;
  int held_ = 0;
  bool gone_ = false;
  Told told_;
};

Box box_of(const nlohmann::json& told);

}  // namespace warpscope
