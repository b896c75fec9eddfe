"""Search, screening and extraction keywords, and what is read with them (Chen Duanbing et al. 2012)."""
