C     SPDX-License-Identifier: LGPL-2.1-or-later
C     The FORTRAN SYNOPSIS of IRIX profil(2): all in default integers.
      program fortran
      integer*4 profil, offset, status
      external profil
      integer*2 buff(65536)
      integer*4 i, j, k
      real*8 total
      do 10 i = 1, 65536
   10 buff(i) = 0
C     the low half of an address, as a 32-bit system has it
      offset = int(iand(loc(spin), 2147483647_8))
      if (iand(ishft(loc(spin), -31), 1_8) .ne. 0) then
         offset = offset - 2147483647 - 1
      end if
      status = profil(buff, 131072, offset, 32768)
      do 20 k = 1, 10
   20 call spin(total)
      status = profil(buff, 0, 0, 0)
      j = 0
      do 30 i = 1, 65536
   30 j = j + buff(i)
      print *, 'ticks', j, status
      print *, 'sum', total
      end

      subroutine spin(total)
      real*8 total
      integer*4 i
      total = 0
      do 40 i = 1, 20000000
   40 total = total + 1.0d0 / i
      end
