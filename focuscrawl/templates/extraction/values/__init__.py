"""Values by type: telephones, e-mail addresses, postcodes, web addresses, links."""
