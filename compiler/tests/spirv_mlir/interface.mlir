// Variables with bindings, arrays with strides, structures with offsets, arguments of blocks in loops.
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @in bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @out bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.array<16 x vector<4xf32>, stride=16> [0], i32 [256])>, StorageBuffer>
  spirv.GlobalVariable @gid built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.SpecConstant @count spec_id(7) = 16 : i32
  spirv.func @main() "None" {
    %0 = spirv.mlir.addressof @gid : !spirv.ptr<vector<3xi32>, Input>
    %1 = spirv.Load "Input" %0 : vector<3xi32>
    %2 = spirv.CompositeExtract %1[0 : i32] : vector<3xi32>
    %3 = spirv.mlir.addressof @in : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    %4 = spirv.mlir.addressof @out : !spirv.ptr<!spirv.struct<(!spirv.array<16 x vector<4xf32>, stride=16> [0], i32 [256])>, StorageBuffer>
    %zero = spirv.Constant 0 : i32
    %one = spirv.Constant 1 : i32
    %n = spirv.mlir.referenceof @count : i32
    %5 = spirv.AccessChain %3[%zero, %2] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>, i32, i32
    %6 = spirv.Load "StorageBuffer" %5 : f32
    %7 = spirv.GL.Sqrt %6 : f32
    %8 = spirv.CompositeConstruct %7, %7, %7, %7 : (f32, f32, f32, f32) -> vector<4xf32>
    %sum = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
    spirv.mlir.loop {
      spirv.Branch ^header(%zero : i32)
    ^header(%i: i32):
      %more = spirv.ULessThan %i, %n : i32
      spirv.BranchConditional %more, ^body, ^merge
    ^body:
      %9 = spirv.AccessChain %4[%zero, %i] : !spirv.ptr<!spirv.struct<(!spirv.array<16 x vector<4xf32>, stride=16> [0], i32 [256])>, StorageBuffer>, i32, i32
      spirv.Store "StorageBuffer" %9, %8 : vector<4xf32>
      %odd = spirv.BitwiseAnd %i, %one : i32
      %is_odd = spirv.INotEqual %odd, %zero : i32
      spirv.mlir.selection {
        spirv.BranchConditional %is_odd, ^then, ^end
      ^then:
        %10 = spirv.Load "Function" %sum : i32
        %11 = spirv.IAdd %10, %i : i32
        spirv.Store "Function" %sum, %11 : i32
        spirv.Branch ^end
      ^end:
        spirv.mlir.merge
      }
      spirv.Branch ^continue
    ^continue:
      %12 = spirv.IAdd %i, %one : i32
      spirv.Branch ^header(%12 : i32)
    ^merge:
      spirv.mlir.merge
    }
    %13 = spirv.Load "Function" %sum : i32
    %14 = spirv.AccessChain %4[%one] : !spirv.ptr<!spirv.struct<(!spirv.array<16 x vector<4xf32>, stride=16> [0], i32 [256])>, StorageBuffer>, i32
    spirv.Store "StorageBuffer" %14, %13 : i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @main, @gid
  spirv.ExecutionMode @main "LocalSize", 8, 1, 1
}
