//go:build !noasm

#include "textflag.h"

// SPREAD fills a register with the next factor.
#define SPREAD(Y)            \
	VBROADCASTSS (DX), Y \
	ADDQ         $4, DX

// ADD adds the next columns of 32 arms, times their factor.
#define ADD(Y0, Y1, Y2, Y3)        \
	SPREAD(Y8)                 \
	VFMADD231PS (SI), Y8, Y0   \
	VFMADD231PS 32(SI), Y8, Y1 \
	VFMADD231PS 64(SI), Y8, Y2 \
	VFMADD231PS 96(SI), Y8, Y3 \
	ADDQ        $128, SI

// BITS sets the lowest eight bits of R to where the sum of X and the root of Y is not below Y9.
#define BITS(X, Y, R)          \
	VSQRTPS   Y, Y         \
	VADDPS    Y, X, X      \
	VCMPPS    $5, Y9, X, X \
	VMOVMSKPS X, R

// func siftVectors(left []uint32, columns, factors []float32, dim int, limit float32)
TEXT ·siftVectors(SB), NOSPLIT, $0-84
	MOVQ left_base+0(FP), DI
	MOVQ left_len+8(FP), CX
	MOVQ columns_base+24(FP), SI
	MOVQ factors_base+48(FP), R9
	MOVQ factors_len+56(FP), R11
	MOVQ dim+72(FP), R10
	VBROADCASTSS limit+80(FP), Y9
	SUBQ R10, R11
	SUBQ $2, R11
	TESTQ CX, CX
	JZ   end

block: // Y0 to Y3 have <x, centre>, Y4 to Y7 x^T A x
	MOVQ    R9, DX
	SPREAD(Y0)
	VMOVAPS Y0, Y1
	VMOVAPS Y0, Y2
	VMOVAPS Y0, Y3
	MOVQ    R10, BX

	PCALIGN $64
linear:
	ADD(Y0, Y1, Y2, Y3)
	DECQ    BX
	JNZ     linear
	SPREAD(Y4)
	VMOVAPS Y4, Y5
	VMOVAPS Y4, Y6
	VMOVAPS Y4, Y7
	MOVQ    R11, BX

	PCALIGN $64
quadratic:
	ADD(Y4, Y5, Y6, Y7)
	DECQ BX
	JNZ  quadratic
	BITS(Y0, Y4, AX)
	BITS(Y1, Y5, R12)
	BITS(Y2, Y6, R13)
	BITS(Y3, Y7, R8)
	SHLQ $8, R12
	SHLQ $16, R13
	SHLQ $24, R8
	ORQ  R12, AX
	ORQ  R13, R8
	ORQ  R8, AX
	MOVL AX, (DI)
	ADDQ $4, DI
	DECQ CX
	JNZ  block

end:
	VZEROUPPER
	RET
