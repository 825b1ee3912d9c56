# SPDX-License-Identifier: Apache-2.0
# nix-build packaging/recipes/nix
{ pkgs ? import <nixpkgs> { } }:
pkgs.stdenv.mkDerivation {
  pname = "hilo";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../../..;
  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config python3 ];
  buildInputs = with pkgs; [ llvmPackages_19.llvm boost cli11 fmt_9 libpng zlib zstd grpc protobuf openssl ];
  cmakeFlags = [ "-DHILO_BUILD_TESTS=OFF" "-DHILO_BUILD_EXAMPLES=OFF" "-DHILO_BUILD_BENCH=OFF" ];
  ninjaFlags = [ "hilo" "hilo_command" "hilo_companions" ];
  meta = {
    description = "JAX and XLA in C++20";
    license = pkgs.lib.licenses.asl20;
    platforms = [ "x86_64-linux" ];
    mainProgram = "hilo";
  };
}
