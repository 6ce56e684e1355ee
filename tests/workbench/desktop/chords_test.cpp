// tests/workbench/desktop/chords_test.cpp: modifiers of keys that went down and up in one frame.
#include "workbench/desktop/chords.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <string>

namespace warpscope {
namespace {

// Frames of Dear ImGui without anything drawn, and which chords acted in them.
class Chords : public ::testing::Test {
 protected:
  Chords() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {320, 240};
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    io.ConfigErrorRecovery = false;
    frame();
  }
  ~Chords() override { ImGui::DestroyContext(); }

  static void hold(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
  // As the back end tells it: the modifier, and the key that it is.
  static void hold_control(bool down) {
    hold(ImGuiMod_Ctrl, down);
    hold(ImGuiKey_LeftCtrl, down);
  }
  void frame() {
    ImGui::GetIO().DeltaTime = 0.5f;
    {
      const LaterChords later;
      ImGui::NewFrame();
    }
    const std::string held = ImGui::GetIO().KeyCtrl ? "Ctrl+" : "";
    for (const auto& [key, name] : {std::pair{ImGuiKey_L, "L "}, std::pair{ImGuiKey_K, "K "}}) {
      if (ImGui::IsKeyPressed(key, false)) acted_ += held + name;
    }
    if (ImGui::IsMouseClicked(0)) acted_ += held + "click ";
    if (ImGui::GetIO().MouseWheel != 0) acted_ += held + "wheel ";
    ImGui::EndFrame();
  }
  // Until no event waits, and one more.
  std::string acted() {
    for (int i = 0; i < 12; ++i) frame();
    return acted_;
  }

 private:
  std::string acted_;
};

TEST_F(Chords, AModifierThatGoesUpBeforeItsKeyCountsForTheKey) {
  hold_control(true);
  frame();  // the slow frame ends here, and the rest waits together
  hold(ImGuiKey_L, true);
  hold_control(false);
  hold(ImGuiKey_L, false);
  EXPECT_EQ(acted(), "Ctrl+L ");
}

TEST_F(Chords, AModifierThatGoesDownAfterAKeyIsNotOfThatKey) {
  hold(ImGuiKey_L, true);
  hold_control(true);
  hold(ImGuiKey_K, true);
  hold_control(false);
  hold(ImGuiKey_K, false);
  hold(ImGuiKey_L, false);
  EXPECT_EQ(acted(), "L Ctrl+K ");
}

TEST_F(Chords, ManyChordsInOneSlowFrameActOneByOne) {
  for (int i = 0; i < 2; ++i) {
    hold_control(true);
    hold(ImGuiKey_L, true);
    hold_control(false);
    hold(ImGuiKey_L, false);
    hold(ImGuiKey_K, true);
    hold(ImGuiKey_K, false);
  }
  EXPECT_EQ(acted(), "Ctrl+L K Ctrl+L K ");
}

TEST_F(Chords, ModifiersOfAClickAndOfTheWheelAreThoseOfTheirTime) {
  ImGuiIO& io = ImGui::GetIO();
  hold_control(true);
  frame();
  io.AddMouseButtonEvent(0, true);
  hold_control(false);
  io.AddMouseButtonEvent(0, false);
  EXPECT_EQ(acted(), "Ctrl+click ");
  hold_control(true);
  frame();
  io.AddMouseWheelEvent(0, 1);
  hold_control(false);
  EXPECT_EQ(acted(), "Ctrl+click Ctrl+wheel ");
}

}  // namespace
}  // namespace warpscope
