// workbench/drawing/null_textures.h: the textures of a context that nothing draws.
#pragma once

#include <imgui.h>

namespace warpscope {

//   NullTextures textures;              // before the context's first frame
//   ImGui::Render();
//   textures.take(*ImGui::GetDrawData());

class NullTextures {
 public:
  // Lists of more than 65536 corners are kept whole, as OpenGL's back end draws them.
  NullTextures() {
    ImGui::GetIO().BackendFlags |=
        ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
  }
  // Says of every texture that was to be made, filled or removed that it was.
  void take(const ImDrawData& frame) {
    for (ImTextureData* texture : *frame.Textures) {
      if (texture->Status == ImTextureStatus_WantCreate) texture->SetTexID(++made_);
      texture->SetStatus(texture->Status == ImTextureStatus_WantDestroy ? ImTextureStatus_Destroyed
                                                                        : ImTextureStatus_OK);
    }
  }

 private:
  ImTextureID made_ = 0;
};

}  // namespace warpscope
