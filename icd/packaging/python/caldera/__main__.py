"""`python -m caldera` is `caldera-doctor`."""

from .doctor import main

raise SystemExit(main())
