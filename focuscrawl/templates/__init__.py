"""Search, screening and extraction keywords, and the values read with them (Chen Duanbing et al. 2012)."""
